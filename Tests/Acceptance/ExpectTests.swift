import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Requests that ask before they send a body (RFC 9110 section 10.1.1).
@Suite(.timeLimit(.minutes(3)))
struct ExpectTests {
    private let content = Data.pattern(300_000)

    private func upload(to server: ScriptedServer) async throws -> HTTPResponse {
        let route = Route(path: "/", method: .post, body: .data(content)).expectingContinue()
        let api = TestAPI(baseURL: server.baseURL).with(\.onValidate) { _ in }
        return try await api.request(route).response()
    }

    @Test("the body follows the server's 100")
    func accepted() async throws {
        let heads = Log<String>()
        let server = try ScriptedServer { connection in
            heads.add(connection.readHead() ?? "")
            connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            connection.skip(300_000)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        #expect(try await upload(to: server).text == "ok")
        #expect(heads.entries.first?.contains("\r\nExpect: 100-continue\r\n") == true)
    }

    @Test("a refusal costs no upload", arguments: [401, 413])
    func refused(status: Int) async throws {
        let counts = Log<Int>()
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil else { return }
            connection.write("HTTP/1.1 \(status) No\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
            connection.shutDownWriting()
            var count = 0
            while let bytes = connection.read(atMost: 1 << 16) { count += bytes.count }
            counts.add(count)
        }
        let response = try await upload(to: server)
        #expect(response.status == status && response.text == "no" && response.metrics?.bytesSent == 0)
        try await eventually("the connection has ended") { counts.entries.count == 1 }
        #expect(counts.entries == [0])
    }

    @Test("a server that sends no 100 gets the body nevertheless")
    func ignored() async throws {
        let server = try ScriptedServer { connection in
            connection.readHead()
            connection.skip(300_000)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        // It costs a second at most with libcurl. A busy machine may be late, but not each time.
        for attempt in 1... {
            let start = ContinuousClock.now
            #expect(try await upload(to: server).text == "ok")
            let duration = start.duration(to: .now)
            #if canImport(Darwin)
                break
            #else
                if duration < .milliseconds(1500) { break }
                try #require(attempt < 10, "\(duration)")
            #endif
        }
    }

    @Test("after a 417 the request is sent again without the field")
    func unsupported() async throws {
        let heads = Log<String>()
        let server = try ScriptedServer { connection in
            while let head = connection.readHead() {
                heads.add(head)
                if head.contains("Expect:") {
                    connection.write("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
                } else {
                    connection.skip(300_000)
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
            }
        }
        #expect(try await upload(to: server).text == "ok")
        #expect(heads.entries.map { $0.contains("Expect:") } == [true, false])
    }

    @Test("only a request with a body asks, and no other waits")
    func bodies() async throws {
        let heads = Log<String>()
        let server = try ScriptedServer { connection in
            while let head = connection.readHead() {
                heads.add(head)
                connection.skip(head.contains("PUT") ? 300_000 : 0)
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            }
        }
        let api = TestAPI(baseURL: server.baseURL)
        try await api.request(Route(path: "/").expectingContinue()).void()
        try await api.request(Route(path: "/", method: .put, body: .data(content))).void()
        #expect(heads.entries.count == 2 && heads.entries.allSatisfy { !$0.contains("Expect") })
    }

    @Test("a 417 to a request that did not ask is the response")
    func unasked() async throws {
        let server = try LoopbackServer().on(.post, "/", .status(417, headers: ["X-Why": "no"]))
        let api = TestAPI(baseURL: server.baseURL).with(\.onValidate) { _ in }
        let route = Route(path: "/", method: .post).expectingContinue()
        let response = try await api.request(route).response()
        #expect(response.status == 417 && response.headers["X-Why"] == "no" && server.requests.count == 1)
    }
}
