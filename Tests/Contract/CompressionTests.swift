import ContractEngines
import Foundation
import HalyardHTTP
import TestSupport
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

        @Test(.faults(31), arguments: Engine.http1)
        func `corrupt or truncated gzip fails`(engine: Engine) async throws {
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

        @Test(.faults(30), arguments: Engine.wire) func `a gzip bomb stops at the limit`(engine: Engine) async throws {
            let bomb = Bomb.gzip.bytes(megabytes: 200)
            let server = try ScriptedServer { connection in
                connection.readHead()
                connection.write(Self.response(bomb))
                connection.drain()
            }
            let error = await failure {
                _ = try await engine.make().send(to: server, destination: .memory(limit: 4 << 20))
            }
            #expect(error == HTTPError(.bodyTooLarge(limit: 4 << 20)))
        }
    }
}
