import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Requests whose head is larger than libcurl's limit, and responses with the transfer coding `identity`.
@Suite(.timeLimit(.minutes(3)))
struct LargeRequestTests {
    private let engine = CurlTransport()

    @Test func `a request head over 1 MiB is refused, and the error names its largest part`() async throws {
        let server = try LoopbackServer().on(.get, "/*", .status(200))
        let long = String(repeating: "x", count: 1 << 20)
        let header = await failure {
            _ = try await engine.send(to: server, headers: ["X-Large": long, "X-Small": "1"])
        }
        #expect(header?.kind == .invalidHeader("X-Large"))
        let many = HTTPHeaders(lenient: (10..<30).map { ("X-\($0)", String(long.prefix(60_000))) })
        let total = await failure { _ = try await engine.send(to: server, headers: many) }
        #expect(total?.kind == .invalidHeader("X-10"))
        let url = await failure { _ = try await engine.send(to: server, "/?q=\(long)") }
        guard case .invalidURL = url?.kind else { return #expect(Bool(false), "\(String(describing: url))") }
        for error in [header, total, url] {
            #expect(
                error?.reason?.hasSuffix("libcurl sends 1048576 bytes at most") == true
                    && error?.recoverySuggestion?.contains("body") == true)
            #expect(error?.request != nil && error?.description.contains("xxxxxxxxxxxxxxx") == false)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a request head of almost 1 MiB is sent`() async throws {
        let server = try ScriptedServer { connection in
            guard let head = connection.readHead() else { return }
            connection.write(
                "HTTP/1.1 200 OK\r\nContent-Length: \("\(head.utf8.count)".utf8.count)\r\n\r\n\(head.utf8.count)")
        }
        let value = String(repeating: "x", count: 990_000)
        let request = try HTTPRequest(.get, server.baseURL, headers: ["X-Large": value])
        let response = try await engine.send(request, context: TransferContext())
        #expect(Int(response.text) ?? 0 > 990_000)
    }

    @Test(arguments: ["identity", "identity, identity", "Identity,identity"])
    func `repeated identity transfer codings do not change the body`(
        _ coding: String
    ) async throws {
        let server = try ScriptedServer { connection in
            // The server closes the connection after a message with both fields, as RFC 9112 section 6.1 requires.
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\nContent-Length: 5\r\n\r\nstuff")
        }
        for _ in 0..<2 {
            let request = try HTTPRequest(.get, server.baseURL)
            #expect(try await engine.send(request, context: TransferContext()).text == "stuff")
        }
    }
}
