import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Bodies over TLS whose connection ends without close_notify, as an attacker ends it (RFC 9112 section 9.8).
@Suite(.timeLimit(.minutes(3)))
struct CloseNotifyTests {
    private static let head = "HTTP/1.1 200 OK\r\n"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the body of a response.
    private func text(_ response: StubResponse) async throws -> String? {
        let server = try LoopbackServer(certificate: .valid)
        defer { server.stop() }
        server.on(.get, "/", response)
        let root = try folder.write(server.rootCertificate ?? "", to: "root.pem")
        let transport = CurlTransport(configuration: EngineConfiguration(tls: .init(roots: .file(root))))
        return try await transport.send(HTTPRequest(.get, server.baseURL), context: TransferContext()).text
    }

    private func ending(_ text: String) -> StubResponse { .raw(text).halfClosing(after: text.utf8.count) }

    @Test func `a body that ends with close_notify or has a length is complete`() async throws {
        let closed = StubResponse.raw(Self.head + "\r\nwhole").closingConnection()
        #expect(try await text(closed) == "whole")
        #expect(try await self.text(ending(Self.head + "Content-Length: 5\r\n\r\nwhole")) == "whole")
        #expect(
            try await self.text(ending(Self.head + "Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n"))
                == "whole")
    }

    @Test(arguments: ["", "Connection: close\r\n"])
    func `a body that ends without close_notify is incomplete`(fields: String) async throws {
        let response = ending(Self.head + fields + "\r\npart")
        await #expect(throws: HTTPError.connectionLost) { try await text(response) }
    }

    @Test(arguments: ["Content-Length: 9\r\n\r\npart", "Transfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n"])
    func `a body shorter than its declared length is incomplete with every library`(rest: String) async throws {
        let response = ending(Self.head + rest)
        await #expect(throws: HTTPError.connectionLost) { try await text(response) }
    }
}
