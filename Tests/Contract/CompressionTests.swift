import ContractEngines
import Foundation
import HalyardHTTP
import Testing

extension Contract {
    /// Bodies in gzip.
    @Suite struct CompressionTests {
        /// "hello" a thousand times.
        static let hello =
            Data(
                base64Encoded: "H4sIAAAAAAACA+3EoQ0AAAgDsGtJJpbwv+MKXCuaaTeSJEmSJEmSPjvWqsWSiBMAAA==") ?? Data()

        private static func response(_ body: Data) -> Data {
            Data("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        }

        @Test(arguments: Engine.wire)
        func `fault 31: gzip that is corrupt or cut short is an error`(engine: Engine) async throws {
            var corrupt = Self.hello
            for place in 15..<19 { corrupt[place] = 0x58 }
            let wrong =
                [
                    ("corrupt", corrupt, nil), ("none", Data("hello".utf8), nil),
                    (
                        "a truncated gzip body", Self.hello.dropLast(10),
                        "swift-corelibs-foundation: 200 and part of the data"
                    ),
                ] as [(String, Data, Comment?)]
            var rows = wrong.map { name, body, corelibs in
                Row(
                    RawCase(name, responses: [Self.response(body)]), is: .error, butCorelibs: corelibs)
            }
            rows.append(
                Row(
                    RawCase("whole", responses: [Self.response(Self.hello)]),
                    is: .response(200, String(repeating: "hello", count: 1000))))
            try await Row.check(rows, on: engine)
        }

        @Test(arguments: Engine.wire) func `fault 30: a gzip bomb stops at the limit`(engine: Engine) async throws {
            let bomb = Data.bomb(megabytes: 200)
            let server = try ScriptedServer { connection, _ in
                connection.readHead()
                connection.write(Self.response(bomb))
                connection.drain()
            }
            let error = await failure {
                _ = try await engine.make().send(to: server, destination: .memory(limit: 4 << 20))
            }
            #expect(error == .bodyTooLarge(limit: 4 << 20))
        }
    }
}

extension Data {
    /// So many megabytes of nothing in gzip (RFC 1952), one fixed block of runs (RFC 1951), without an end.
    fileprivate static func bomb(megabytes: Int) -> Data {
        var data = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
        var (bits, count) = (UInt64(0), UInt64(0))
        func put(_ value: UInt64, _ width: UInt64) {
            bits |= value << count
            count += width
            while count >= 8 {
                data.append(UInt8(truncatingIfNeeded: bits))
                bits >>= 8
                count -= 8
            }
        }
        put(1, 1)  // the last block
        put(1, 2)  // fixed codes
        put(0b0000_1100, 8)  // the literal 0, 00110000 with its first bit first
        // 258 bytes from one back: the length's code 11000101, the distance's 00000.
        for _ in 0..<(megabytes << 20) / 258 { put(0b0_0000_1010_0011, 13) }
        return data
    }
}
