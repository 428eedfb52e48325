import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

extension Contract {
    /// Where a response's body goes.
    @Suite struct DestinationTests {
        @Test(arguments: Engine.wire, [0, 1, 65_536, 5_000_000])
        func `bodies of any size are sent and received`(engine: Engine, count: Int) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.put, "/") { .data($0.body) }
            let body = Data.pattern(count)
            let response = try await fixture.send(.put, body: HTTPBody(body))
            #expect(response.data.count == count && response.data == body)
            #expect(fixture.peer.requests.first?.headers["Content-Length"] == "\(count)")
        }

        @Test(arguments: Engine.allCases)
        func `a body beyond the limit ends the transfer, with or without a declared length`(engine: Engine) async throws
        {
            let fixture = try Fixture(engine)
            let body = Data.pattern(100_000)
            fixture.peer.on(.get, "/announced", .data(body)).on(.get, "/chunked", .chunked([body]))
            for path in ["/announced", "/chunked"] {
                let error = await failure {
                    _ = try await fixture.send(.get, path, destination: .memory(limit: 99_999))
                }
                #expect(error == HTTPError(.bodyTooLarge(limit: 99_999)))
                #expect(try await fixture.send(.get, path, destination: .memory(limit: 100_000)).data == body)
            }
        }

        @Test(.faults(32), arguments: Engine.wire)
        func `an endless body ends at the limit and closes its connection`(engine: Engine) async throws {
            let isClosed = Lock(false)
            let server = try ScriptedServer { connection in
                connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\n\r\n")
                // After the limit, the server sends slowly: swift-corelibs-foundation buffers all bytes that arrive
                // before it closes the connection, which takes minutes under thread sanitizer.
                for _ in 0..<64 { connection.write(Data(repeating: 7, count: 1 << 16)) }
                while connection.write(Data(repeating: 7, count: 1 << 16)) { usleep(2000) }
                isClosed.withLock { $0 = true }
            }
            let error = await failure {
                _ = try await engine.make().send(to: server, destination: .memory(limit: 1 << 20))
            }
            #expect(error == HTTPError(.bodyTooLarge(limit: 1 << 20)))
            try await eventually("the connection is closed", within: .seconds(160)) { isClosed.withLock { $0 } }
        }

        @Test(arguments: Engine.allCases) func `a body is written to its file once`(engine: Engine) async throws {
            let (fixture, folder) = (try Fixture(engine), try TemporaryFolder())
            let (body, file) = (Data.pattern(3_000_000), folder.url.appending(path: "got"))
            let digest = SHA256Digest.hash(body)
            let headers: HTTPHeaders = ["Repr-Digest": "sha-256=:\(digest.base64EncodedString()):"]
            fixture.peer.on(.get, "/", .data(body, headers: headers))
            do {
                let response = try await fixture.send(destination: .file(file))
                #expect(response.status == 200 && response.data.isEmpty && response.file == file)
                #expect(response.downloadFile?.digest == digest)
                try response.downloadFile?.commit()
            }
            #expect(try Data(contentsOf: file) == body)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["got"])
        }

        @Test(arguments: Engine.allCases)
        func `a part of a body is written to a file only if it was requested`(engine: Engine) async throws {
            let (fixture, folder) = (try Fixture(engine), try TemporaryFolder())
            let file = folder.url.appending(path: "got")
            let headers: HTTPHeaders = ["Content-Range": "bytes 0-3/9"]
            fixture.peer.on(.get, "/", .text("part", status: 206, headers: headers))
            let error = await failure { _ = try await fixture.send(destination: .file(file)) }
            #expect(error?.kind == .invalidResponse && error?.reason?.contains("whole body") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
            let response = try await fixture.send(headers: ["Range": "bytes=0-3"], destination: .file(file))
            try response.downloadFile?.commit()
            #expect(try String(contentsOf: file, encoding: .utf8) == "part")
            let whole: HTTPHeaders = ["Content-Range": "bytes 0-3/4"]
            fixture.peer.on(.get, "/", .text("full", status: 206, headers: whole))
            try await fixture.send(destination: .file(file)).downloadFile?.commit()
            #expect(try String(contentsOf: file, encoding: .utf8) == "full")
        }

        @Test(arguments: Engine.allCases) func `an unwritable file fails the request`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .text("text"))
            let error = await failure {
                _ = try await fixture.send(destination: .file(URL(filePath: "/dev/null/no/such/file")))
            }
            #expect(error == HTTPError(.unwritableFile("/dev/null/no/such/file")))
        }

        @Test(arguments: Engine.allCases, [0, 1, 100_000])
        func `a stream delivers bytes as they arrive`(engine: Engine, count: Int) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .data(.pattern(count)))
            let stream = try #require(try await fixture.send(destination: .stream).stream)
            var got = Data()
            for try await chunk in stream { got.append(chunk) }
            #expect(got == .pattern(count))
        }

        @Test(arguments: Engine.wire) func `a stream that is read slowly is complete`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .data(.pattern(20 << 20)))
            let stream = try #require(try await fixture.send(destination: .stream).stream)
            var got = Data()
            for try await chunk in stream {
                got.append(chunk)
                for _ in 0..<20 { await Task.yield() }
            }
            #expect(got == .pattern(20 << 20))
        }

        @Test(arguments: Engine.wire) func `a stream that breaks off throws an error`(engine: Engine) async throws {
            let server = try LoopbackServer().on(.get, "/", .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))
            let stream = try #require(try await engine.make().send(to: server, destination: .stream).stream)
            let error = await failure { for try await _ in stream {} }
            #expect(error != nil)
        }

        @Test(arguments: Engine.wire) func `leaving a stream ends the transfer`(engine: Engine) async throws {
            let server = try ScriptedServer { connection in
                connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\n\r\nstart")
                while connection.write(Data(repeating: 7, count: 1 << 10)) {}
            }
            let transport = engine.make()
            for try await chunk in try #require(try await transport.send(to: server, destination: .stream).stream) {
                #expect(!chunk.isEmpty)
                break
            }
            try await eventually("the connection is closed") { server.connectionCount == 0 }
            // This one is not read.
            do { _ = try await transport.send(to: server, destination: .stream) }
            try await eventually("the connection is closed") { server.connectionCount == 0 }
        }

        @Test(arguments: Engine.wire) func `a retained response does not keep the request alive`(
            engine: Engine
        ) async throws {
            let server = try LoopbackServer().on(.get, "/", .data(.pattern(100_000)))
            let transport = engine.make()
            for isReadWhole in [true, false] {
                var token: Token? = Token()
                weak let held = token
                var context = TransferContext.patient
                context.progress = { [token] _, _ in withExtendedLifetime(token) {} }
                token = nil
                let response = try await transport.send(to: server, destination: .stream, context: context)
                context.progress = nil
                for try await _ in try #require(response.stream) where !isReadWhole { break }
                try await eventually("what watched its progress is let go") { held == nil }
                withExtendedLifetime(response) {}
            }
        }

        private final class Token: Sendable {}

        @Test(arguments: Engine.wire) func `an unread stream applies backpressure`(engine: Engine) async throws {
            let sent = Lock(0)
            let server = try ScriptedServer { connection in
                connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\n\r\n")
                while sent.withLock({ $0 }) < 48 << 20, connection.write(Data(repeating: 7, count: 1 << 16)) {
                    sent.withLock { $0 += 1 << 16 }
                }
            }
            let response = try await engine.make().send(to: server, destination: .stream)
            let count = try await settled { sent.withLock { $0 } }
            withKnownIssue(
                "swift-corelibs-foundation: a suspended task starts its request again, so it is not held back",
                isIntermittent: true  // on a slow machine, the transfer may pause before everything has arrived
            ) {
                #expect(count < 32 << 20)
            } when: {
                engine.isCorelibs
            }
            _ = response.stream
        }

        @Test(arguments: Engine.allCases)
        func `a response other than 2xx keeps up to 64 KiB in memory, even for a stream or a file`(
            engine: Engine
        ) async throws {
            let (fixture, folder) = (try Fixture(engine), try TemporaryFolder())
            fixture.peer.on(.get, "/short", .text("no", status: 404)).on(
                .get, "/long", .data(.pattern(200_000), status: 500)
            )
            .on(.get, "/moved", .data(.pattern(200_000), status: 302, headers: ["Location": "/b"]))
            for destination: HTTPRequest.Destination in [.stream, .file(folder.url.appending(path: "file"))] {
                let short = try await fixture.send(.get, "/short", destination: destination)
                #expect(short.status == 404 && short.text == "no" && short.stream == nil && short.file == nil)
                for path in ["/long", "/moved"] {
                    let long = try await fixture.send(.get, path, destination: destination)
                    #expect(long.status >= 300 && long.data == .pattern(65_536))
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
        }
    }
}
