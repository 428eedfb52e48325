import Foundation
import HalyardEndpoints
import HalyardSystem
import HalyardTesting
import TestSupport
import Testing

/// TLS of the loopback server. On a machine without OpenSSL each server fails with an error that says so.
@Suite("The server's TLS", .timeLimit(.minutes(3)))
struct ServerTLSTests {
    /// Starts a server. Returns `nil` after checking the error on a machine without OpenSSL.
    private func server(_ certificate: ServerCertificate, basePath: String = "") throws -> LoopbackServer? {
        do throws(LoopbackServer.StartError) {
            return try LoopbackServer(certificate: certificate, basePath: basePath)
        } catch {
            let hasOpenSSL = dlopen("libssl.so.3", RTLD_NOW) != nil || dlopen("libssl.so.1.1", RTLD_NOW) != nil
            #expect(!hasOpenSSL)
            #expect(error.description.contains("OpenSSL 1.1.1 or 3 is needed"))
            return nil
        }
    }

    private func client(_ roots: EngineConfiguration.Roots) -> HTTPClient {
        HTTPClient(engine: EngineConfiguration(tls: .init(roots: roots)))
    }

    @Test func aClientThatTrustsTheRootIsAnswered() async throws {
        guard let server = try server(.valid, basePath: "/v1") else { return }
        server.on(.post, "/echo") { request in .data(request.body) }
        #expect(server.baseURL.absoluteString == "https://127.0.0.1:\(server.port)/v1")
        let api = TestAPI(baseURL: server.baseURL, client: client(server.roots))
        for size in [0, 1, 100_000, 3_000_000] {
            let body = Data.pattern(size)
            let route = Route(path: "/echo", method: .post, body: .data(body))
            #expect(try await api.request(route).data() == body)
        }
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.body.count) == [0, 1, 100_000, 3_000_000])
    }

    @Test func theNameLocalhostIsValidToo() async throws {
        guard let server = try server(.valid) else { return }
        server.on(.get, "/", .text("hello"))
        let url = try #require(URL(string: "https://localhost:\(server.port)"))
        #expect(
            try await TestAPI(baseURL: url, client: client(server.roots)).request(Route(path: "/")).text() == "hello")
    }

    @Test func aClientThatDoesNotTrustTheRootSendsNothing() async throws {
        guard let server = try server(.valid), let other = try self.server(.valid) else { return }
        server.on(.get, "/", .text("hello"))
        for roots in [EngineConfiguration.Roots.system, other.roots] {
            let api = TestAPI(baseURL: server.baseURL, client: client(roots))
            let error = await failure { _ = try await api.request(Route(path: "/")).text() }
            #expect(error == .tls(.unknownRoot))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func invalidCertificatesAreRefused() async throws {
        let cases: [(ServerCertificate, HTTPError)] = [
            (.expired, .tls(.expired)), (.valid(for: "other.example.com"), .tls(.wrongHost)),
        ]
        for (certificate, expected) in cases {
            guard let server = try server(certificate) else { return }
            server.on(.get, "/", .text("hello"))
            let api = TestAPI(baseURL: server.baseURL, client: client(server.roots))
            let error = await failure { _ = try await api.request(Route(path: "/")).text() }
            #expect(error == expected)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func theErrorNamesAHostThatIsNoName() {
        let error = #expect(throws: LoopbackServer.StartError.self) {
            _ = try LoopbackServer(certificate: .valid(for: "a,b:c"))
        }
        let description = error?.description ?? ""
        #expect(description.contains("DNS:a,b:c") || description.contains("OpenSSL 1.1.1 or 3 is needed"))
    }

    @Test func aClientWithoutTLSIsDisconnected() async throws {
        guard let server = try server(.valid) else { return }
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        // OpenSSL may send an alert before it closes the connection, and closing it resets it.
        #expect((try? client.rest())?.contains("HTTP/1.1") != true)
        #expect(server.requests.isEmpty)
    }

    @Test func faultsBreakAnEncryptedResponse() async throws {
        guard let server = try server(.valid) else { return }
        server.on(.get, "/reset", .text("hello").resetting(after: 30))
            .on(.get, "/short", .text("hello").failing(after: 2))
            .on(.get, "/raw", .raw("HTTP/1.1 200 OK\r\n\r\nuntil the end"))
        let api = TestAPI(baseURL: server.baseURL, client: client(server.roots))
        for path: RoutePath in ["/reset", "/short"] {
            let error = await failure { _ = try await api.request(Route(path: path)).text() }
            #expect(error == .connectionLost)
        }
        #expect(try await api.request(Route(path: "/raw")).text() == "until the end")
    }

    @Test func stoppingEndsAConnectionWithTLS() async throws {
        guard let server = try server(.valid) else { return }
        server.on(.get, "/", .text("hello").stalling())
        let api = TestAPI(baseURL: server.baseURL, client: client(server.roots))
        async let error = failure { _ = try await api.request(Route(path: "/")).text() }
        _ = try await server.request()
        server.stop()
        #expect(await error == .connectionLost)
    }
}
