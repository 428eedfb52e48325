import ContractEngines
import Foundation
import HalyardAsync
import TestSupport
import Testing

/// Faults of TLS, with real TLS servers.
///
/// The servers run in another program (`.ci/tls-servers.py`), which passes their folder in `HALYARD_TLS`. Without it,
/// each test prints that it was skipped. URLSession on Linux trusts only the system's roots, so there only rejections
/// are tested.
@Suite(.timeLimit(.minutes(3)))
struct TLSFaultTests {
    private struct Servers: Decodable { let ports: [String: Int] }

    private let folder = ProcessInfo.processInfo.environment["HALYARD_TLS"].map { URL(filePath: $0) }

    /// Returns an API at one of the servers; `nil` if there are no servers.
    private func api(
        _ name: String, over engine: Engine, _ configuration: HTTPClient.Configuration = .init()
    ) throws -> TestAPI? {
        guard let folder else {
            print("HALYARD_TLS is not set: no handshake was tried with \(name)")
            return nil
        }
        let data = try Data(contentsOf: folder.appending(path: "servers.json"))
        let port = try #require(JSONDecoder().decode(Servers.self, from: data).ports[name])
        var settings = EngineConfiguration()
        if engine.isCurl { settings.tls.roots = .file(folder.appending(path: "root.pem")) }
        let url = try #require(URL(string: "https://localhost:\(port)"))
        return TestAPI(baseURL: url, client: engine.client(configuration, engine: settings))
    }

    /// The bytes that a server received after the handshake.
    private func received(_ name: String) throws -> String {
        let file = try #require(folder).appending(path: "received-\(name)")
        return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }

    private func post(_ path: String = "/") -> Route {
        Route(
            path: RoutePath(verbatim: path), method: .post, headers: ["Authorization": "Bearer s3cret"],
            body: .text("secret"))
    }

    @Test(
        "a redirect from https to http is refused, and nothing is sent there", .faults(52),
        arguments: Engine.wire.filter(\.isCurl)
    )
    func downgrade(engine: Engine) async throws {
        let path = "/refused-\(engine.rawValue)"
        guard let api = try api("downgrade", over: engine) else { return }
        let error = await failure { try await api.request(post(path)).void() }
        guard case .insecureRedirect = error?.kind else {
            Issue.record("it is \(String(describing: error))")
            return
        }
        #expect(error?.response?.status == 307)
        #expect(try received("downgrade").contains("POST \(path) "))
        #expect(try !received("plain").contains(path))
    }

    @Test(
        "an allowed redirect from https to http carries no credentials", .faults(51, 52),
        arguments: Engine.wire.filter(\.isCurl))
    func allowedDowngrade(engine: Engine) async throws {
        let path = "/allowed-\(engine.rawValue)"
        guard let api = try api("downgrade", over: engine, .init(redirects: .follow(allowsDowngrade: true))) else {
            return
        }
        try await api.request(post(path)).void()
        #expect(try received("downgrade").contains("Bearer s3cret"))
        #expect(try received("plain").contains("POST \(path) "))
        #expect(try !received("plain").contains("s3cret"))
    }

    @Test(
        "each kind of invalid certificate is rejected with its own error, and nothing is sent", .faults(56),
        arguments: Engine.wire,
        [
            ("self-signed", HTTPError.TLSFailure.selfSigned), ("expired", .expired), ("wrong-host", .wrongHost),
            ("unknown-root", .unknownRoot),
        ])
    func refused(engine: Engine, server: (name: String, failure: HTTPError.TLSFailure)) async throws {
        guard let api = try api(server.name, over: engine) else { return }
        let error = try #require(await failure { try await api.request(post()).void() })
        guard case .tls(let kind) = error.kind else {
            Issue.record("it is \(error)")
            return
        }
        // URLSession on Linux has no roots here, and stops at this error.
        let isStranger = engine.isCorelibs && server.name != "self-signed"
        #expect(kind == (isStranger ? .unknownRoot : server.failure))
        #expect(try received(server.name) == "")
    }
}
