import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

/// An engine and its server.
struct Fixture: Sendable {
    let transport: any Transport
    let peer: any StubHost
    private let baseURL: String

    /// The URL of the peer.
    var url: URL { get throws { try #require(URL(string: baseURL)) } }

    init(_ engine: Engine) throws {
        if engine == .stub {
            let stub = StubTransport()
            (transport, peer, baseURL) = (stub, stub, "http://127.0.0.1")
        } else {
            let server = try LoopbackServer()
            (transport, peer, baseURL) = (engine.make(), server, "\(server.baseURL)")
        }
    }

    /// Sends one request to the peer.
    func send(
        _ method: HTTPMethod = .get, _ path: String = "/", headers: HTTPHeaders = [:], body: HTTPBody? = nil,
        destination: HTTPRequest.Destination = .memory(), context: TransferContext = .patient
    ) async throws -> HTTPResponse {
        let url = try #require(URL(string: "\(baseURL)\(path)"))
        return try await transport.send(
            HTTPRequest(method, url, headers: headers, body: body, destination: destination), context: context)
    }
}

extension TransferContext {
    /// With this limit, a hang becomes an error.
    static let patient = TransferContext(timeout: .seconds(30))
}
