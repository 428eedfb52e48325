import Foundation
import HalyardCurl
import HalyardHTTP
import TestSupport
import Testing

/// TLS with a server of OpenSSL's. `TLSTests` has the cases that need other certificates, in `.ci/checks/tls`.
@Suite(.timeLimit(.minutes(3)))
struct HandshakeTests {
    private func send(
        to server: TLSServer, _ path: String, _ change: (inout EngineConfiguration) -> Void = { _ in }
    ) async throws -> HTTPResponse {
        var configuration = EngineConfiguration()
        configuration.tls.roots = .file(server.root)
        change(&configuration)
        let transport = CurlTransport(configuration: configuration)
        return try await transport.send(
            HTTPRequest(.get, server.baseURL.appending(path: path)), context: TransferContext())
    }

    @Test func `a certificate that is its own root is accepted if trusted, and refused otherwise`() async throws {
        let server = try TLSServer(["x": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
        let response = try await send(to: server, "x")
        #expect(response.text == "ok" && response.metrics?.httpVersion == "HTTP/1.1")
        do {
            _ = try await send(to: server, "x") { $0.tls.roots = .system }
            Issue.record("the handshake must fail")
        } catch let error as HTTPError {
            #expect(error == HTTPError(.tls(.selfSigned)) || error == HTTPError(.tls(.unknownRoot)), "\(error)")
        }
    }

    @Test(arguments: ["HTTP/2 200", "HTTP/2 200 ", "HTTP/2 200 OK"])
    func `an HTTP/2 status line is refused on an HTTP/1 connection`(line: String) async throws {
        let server = try TLSServer(["x": "\(line)\r\nContent-Length: 2\r\n\r\nok"])
        await #expect(throws: HTTPError(.invalidResponse)) { try await send(to: server, "x") }
    }
}
