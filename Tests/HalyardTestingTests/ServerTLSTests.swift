import Foundation
import HalyardEndpoints
import HalyardSystem
import HalyardTesting
import TestSupport
import Testing

/// TLS of the loopback server. On a machine without OpenSSL each server fails with an error that says so.
@Suite("TLS of the server", .timeLimit(.minutes(3)))
struct ServerTLSTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a server. Returns `nil` after checking the error on a machine without OpenSSL.
    private func server(_ certificate: ServerCertificate, basePath: String = "") throws -> LoopbackServer? {
        do throws(TestingError) {
            return try LoopbackServer(certificate: certificate, basePath: basePath)
        } catch {
            let hasOpenSSL = dlopen("libssl.so.3", RTLD_NOW) != nil || dlopen("libssl.so.1.1", RTLD_NOW) != nil
            #expect(!hasOpenSSL)
            #expect(error.description.contains("OpenSSL 1.1.1 or 3 is needed"))
            return nil
        }
    }

    /// Returns a client that trusts a server. The root is in a file, because libcurl before 7.77 reads none from memory.
    private func client(for server: LoopbackServer) throws -> HTTPClient {
        let file = try folder.write(server.rootCertificate ?? "", to: "\(server.port).pem")
        return HTTPClient(engine: EngineConfiguration(tls: .init(roots: .file(file))))
    }

    @Test func aClientThatTrustsTheRootIsAnswered() async throws {
        guard let server = try server(.valid, basePath: "/v1") else { return }
        server.on(.put, "/echo") { request in .data(request.body) }
        #expect(server.baseURL.absoluteString == "https://127.0.0.1:\(server.port)/v1")
        let api = try TestAPI(baseURL: server.baseURL, client: client(for: server))
        for size in [0, 1, 100_000, 3_000_000] {
            let body = Data.pattern(size)
            let route = Route(path: "/echo", method: .put, body: .data(body))
            #expect(try await api.request(route).data() == body)
        }
        #expect(server.connectionCount == 1)
        #expect(server.requests.map(\.body.count) == [0, 1, 100_000, 3_000_000])
    }

    @Test func theRootsAreReadFromMemory() async throws {
        guard let server = try server(.valid) else { return }
        server.on(.get, "/", .text("hello"))
        let client = HTTPClient(engine: EngineConfiguration(tls: .init(roots: server.roots)))
        let api = TestAPI(baseURL: server.baseURL, client: client)
        do { #expect(try await api.request(Route(path: "/")).text() == "hello") } catch {
            // libcurl before 7.77.
            #expect(error as? HTTPError == HTTPError(.configuration("tls.roots")))
        }
        #expect(try LoopbackServer().roots == .system)
    }

    @Test func theNameLocalhostIsValidToo() async throws {
        guard let server = try server(.valid) else { return }
        server.on(.get, "/", .text("hello"))
        let url = try #require(URL(string: "https://localhost:\(server.port)"))
        #expect(
            try await TestAPI(baseURL: url, client: client(for: server)).request(Route(path: "/")).text() == "hello")
    }

    @Test func aClientThatDoesNotTrustTheRootSendsNothing() async throws {
        guard let server = try server(.valid), let other = try self.server(.valid) else { return }
        server.on(.get, "/", .text("hello"))
        for client in [HTTPClient(), try client(for: other)] {
            let api = TestAPI(baseURL: server.baseURL, client: client)
            let error = await failure { _ = try await api.request(Route(path: "/")).text() }
            #expect(error == HTTPError(.tls(.unknownRoot)))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func invalidCertificatesAreRefused() async throws {
        let cases: [(ServerCertificate, HTTPError)] = [
            (.expired, HTTPError(.tls(.expired))), (.valid(for: "other.example.com"), HTTPError(.tls(.wrongHost))),
        ]
        for (certificate, expected) in cases {
            guard let server = try server(certificate) else { return }
            server.on(.get, "/", .text("hello"))
            let api = try TestAPI(baseURL: server.baseURL, client: client(for: server))
            let error = await failure { _ = try await api.request(Route(path: "/")).text() }
            #expect(error == expected)
            #expect(server.requests.isEmpty)
        }
    }

    @Test func theErrorNamesAHostThatIsNoName() {
        let error = #expect(throws: TestingError.self) {
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
        let api = try TestAPI(baseURL: server.baseURL, client: client(for: server))
        for path: RoutePath in ["/reset", "/short"] {
            let error = await failure { _ = try await api.request(Route(path: path)).text() }
            #expect(error == .connectionLost)
        }
        #expect(try await api.request(Route(path: "/raw")).text() == "until the end")
    }

    @Test func stoppingEndsAConnectionWithTLS() async throws {
        guard let server = try server(.valid) else { return }
        server.on(.get, "/", .text("hello").stalling())
        let api = try TestAPI(baseURL: server.baseURL, client: client(for: server))
        async let error = failure { _ = try await api.request(Route(path: "/")).text() }
        _ = try await server.request()
        server.stop()
        #expect(await error == .connectionLost)
    }
}
