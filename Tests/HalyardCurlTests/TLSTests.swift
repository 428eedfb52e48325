import Foundation
import HalyardCurl
import HalyardHTTP
import TestSupport
import Testing

/// Handshakes that are rejected, with their errors. Nothing is sent then.
///
/// The servers run in another program (`.ci/tls-servers.py`), which passes their folder in `HALYARD_TLS`. Without it,
/// each test prints that it was skipped.
@Suite(.timeLimit(.minutes(3)))
struct TLSTests {
    private struct Servers: Decodable {
        let ports: [String: Int]
        let pin: String
    }

    private static let folder = ProcessInfo.processInfo.environment["HALYARD_TLS"].map { URL(filePath: $0) }

    /// Sends a secret to the server with that name. Returns `nil` if there are no servers.
    private func send(
        to name: String, roots: Bool = true, _ change: (inout EngineConfiguration) throws -> Void = { _ in }
    ) async throws -> Result<HTTPResponse, any Error>? {
        guard let folder = Self.folder else {
            print("HALYARD_TLS is not set: no handshake was tried with \(name)")
            return nil
        }
        var configuration = EngineConfiguration()
        if roots { configuration.tls.roots = .file(folder.appending(path: "root.pem")) }
        try change(&configuration)
        let port = try #require(servers(folder).ports[name])
        let url = try #require(URL(string: "https://localhost:\(port)/"))
        let request = try HTTPRequest(
            .post, url, headers: ["Authorization": "secret"], body: HTTPBody(Data("secret".utf8)))
        do {
            return .success(
                try await CurlTransport(configuration: configuration).send(request, context: TransferContext()))
        } catch { return .failure(error) }
    }

    private func servers(_ folder: URL) throws -> Servers {
        try JSONDecoder().decode(Servers.self, from: Data(contentsOf: folder.appending(path: "servers.json")))
    }

    private func pin() throws -> String {
        try servers(#require(Self.folder)).pin
    }

    private func expectNothingSent(to name: String) throws {
        guard let folder = Self.folder else { return }
        #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "received-\(name)").path))
    }

    @Test func `a certificate with a trusted root from a file or from memory is accepted`() async throws {
        guard let response = try await send(to: "good") else { return }
        #expect(try response.get().status == 200)
        #expect(try #require(response.get().metrics).tls > .zero)
        let text = try String(contentsOf: #require(Self.folder).appending(path: "root.pem"), encoding: .utf8)
        let inMemory = try await send(to: "good", roots: false) { $0.tls.roots = .pem(text) }
        if CurlLibrary.acceptsRootsFromMemory {
            #expect(try inMemory?.get().status == 200)
        } else {
            #expect(throws: HTTPError(.configuration("tls.roots"))) { try inMemory?.get() }
        }
    }

    @Test(
        "each kind of invalid certificate is rejected with its own error, and nothing is sent", .faults(56),
        arguments: [
            ("self-signed", HTTPError.TLSFailure.selfSigned), ("expired", .expired), ("wrong-host", .wrongHost),
            ("unknown-root", .unknownRoot),
        ])
    func refused(name: String, failure: HTTPError.TLSFailure) async throws {
        guard let outcome = try await send(to: name) else { return }
        #expect(throws: HTTPError(.tls(failure))) { try outcome.get() }
        try expectNothingSent(to: name)
    }

    @Test func `configured roots replace the system's roots`() async throws {
        guard let outcome = try await send(to: "unknown-root", roots: false) else { return }
        #expect(throws: HTTPError(.tls(.unknownRoot))) { try outcome.get() }
        try expectNothingSent(to: "unknown-root")
    }

    @Test(.faults(57)) func `a pinned key is accepted, and any other is rejected`() async throws {
        guard Self.folder != nil else { return print("HALYARD_TLS is not set: no pin was tried") }
        let (right, wrong) = try (
            pin(), Data(count: 32).base64EncodedString()
        )
        let taken = try #require(try await send(to: "good") { $0.tls.pins = ["localhost": [wrong, right]] })
        #expect(try taken.get().status == 200)
        let refused = try #require(try await send(to: "tls12") { $0.tls.pins = ["localhost": [wrong]] })
        #expect(throws: HTTPError(.tls(.wrongPin))) { try refused.get() }
        let elsewhere = try #require(try await send(to: "good") { $0.tls.pins = ["other.example": [wrong]] })
        #expect(try elsewhere.get().status == 200)
        try expectNothingSent(to: "tls12")
    }

    @Test(arguments: ["LocalHost", "localhost."])
    func `the pins of a host apply in every spelling of its name`(key: String) async throws {
        guard Self.folder != nil else { return print("HALYARD_TLS is not set: no pin was tried") }
        let wrong = Data(count: 32).base64EncodedString()
        let refused = try #require(try await send(to: "tls12") { $0.tls.pins = [key: [wrong]] })
        #expect(throws: HTTPError(.tls(.wrongPin))) { try refused.get() }
        try expectNothingSent(to: "tls12")
    }

    @Test func `the minimum TLS version is enforced`() async throws {
        guard let outcome = try await send(to: "tls12", { $0.tls.minimumVersion = .tls13 }) else { return }
        #expect(throws: HTTPError(.tls(.handshake))) { try outcome.get() }
        try expectNothingSent(to: "tls12")
    }

    @Test func `a server that requires a client certificate accepts only a request with one`() async throws {
        guard let folder = Self.folder else { return print("HALYARD_TLS is not set: no client certificate was tried") }
        let shut = try #require(try await send(to: "client"))
        #expect(throws: HTTPError.self) { try shut.get() }
        let files = EngineConfiguration.ClientCertificate(
            certificate: folder.appending(path: "client.pem"), key: folder.appending(path: "client.key"))
        let open = try #require(try await send(to: "client") { $0.tls.clientCertificate = files })
        #expect(try open.get().status == 200)
        var other = files
        other.key = folder.appending(path: "no.key")
        let missing = try #require(try await send(to: "client") { $0.tls.clientCertificate = other })
        #expect(throws: HTTPError(.unreadableFile(other.key.path))) { try missing.get() }
        other.key = folder.appending(path: "client.pem")
        let broken = try #require(try await send(to: "client") { $0.tls.clientCertificate = other })
        #expect(throws: HTTPError(.configuration("tls.clientCertificate"))) { try broken.get() }
    }

    @Test func `roots that are not certificates fail with that reason`() async throws {
        guard let folder = Self.folder else { return print("HALYARD_TLS is not set: no bad roots were tried") }
        let outcome = try await send(to: "good") { $0.tls.roots = .file(folder.appending(path: "client.key")) }
        #expect(throws: HTTPError(.configuration("tls.roots"))) { try outcome?.get() }
    }

    @Test func `a handshake that never ends reaches the connect timeout`() async throws {
        guard let outcome = try await send(to: "silent", { $0.connectTimeout = .milliseconds(200) }) else { return }
        #expect(throws: HTTPError.timedOut) { try outcome.get() }
    }

    @Test func `a TLS proxy and a SOCKS proxy do the name lookup`() async throws {
        guard let folder = Self.folder else { return print("HALYARD_TLS is not set: no proxy was tried") }
        let ports = try servers(folder).ports
        let (over, socks) = (try #require(ports["https-proxy"]), try #require(ports["socks-proxy"]))
        let secure = try #require(
            try await send(to: "good") {
                $0.proxy = .https("localhost", port: over, user: "u", password: "p")
            })
        #expect(try secure.get().status == 200)
        let asked = try String(contentsOf: folder.appending(path: "received-https-proxy"), encoding: .utf8)
        #expect(asked.hasPrefix("CONNECT localhost:\(ports["good"] ?? 0) HTTP/1.1\r\n"))
        #expect(asked.contains("Proxy-Authorization: Basic \(Data("u:p".utf8).base64EncodedString())\r\n"))
        #expect(!asked.contains("secret"))

        let through = try #require(
            try await send(to: "good") {
                $0.proxy = .socks5("127.0.0.1", port: socks, user: "u", password: "p")
            })
        #expect(try through.get().status == 200)
        let log = try String(contentsOf: folder.appending(path: "received-socks-proxy"), encoding: .utf8)
        #expect(log == "u p localhost")
        // The same roots are used to verify a proxy.
        let untrusted = try #require(
            try await send(to: "good", roots: false) {
                $0.proxy = .https("localhost", port: over)
            })
        #expect(throws: HTTPError.self) { try untrusted.get() }
    }

    @Test func `bytes that arrive on an idle connection do not answer the next request`() async throws {
        guard let folder = Self.folder else {
            return print("HALYARD_TLS is not set: no handshake was tried with stray")
        }
        var configuration = EngineConfiguration()
        configuration.tls.roots = .file(folder.appending(path: "root.pem"))
        let port = try #require(servers(folder).ports["stray"])
        let victim = CurlTransport(configuration: configuration)
        let other = CurlTransport(configuration: configuration)
        for _ in 0..<10 {
            for (path, transport) in [("/1", victim), ("/stray", other), ("/2", victim), ("/3", victim)] {
                let url = try #require(URL(string: "https://localhost:\(port)\(path)"))
                let request = try HTTPRequest(.post, url, body: HTTPBody(Data("secret".utf8)))
                let text = try await transport.send(request, context: TransferContext()).text
                #expect(text == path)
            }
        }
    }

    @Test func `a pin that is not a hash is rejected`() throws {
        for text in ["", "sha256/", "sha256//AAAA", "not base64 at all", Data(count: 31).base64EncodedString()] {
            let error = #expect(throws: HTTPError(.configuration("tls.pins"))) {
                try EngineConfiguration.TLS(pins: ["a.example": [text]]).checkPins(
                    for: Origin(ofURL: "https://b.example"))
            }
            #expect(error?.reason?.hasSuffix("is not 32 bytes in base64") == true)
        }
        let hash = Data(0..<32).base64EncodedString()
        for prefix in ["", "sha256/", "sha256//"] {
            #expect(EngineConfiguration.TLS(pins: ["a.example": [prefix + hash]]).pins(forHost: "a.example") == [hash])
        }
    }
}
