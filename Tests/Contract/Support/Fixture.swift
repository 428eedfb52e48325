import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

/// What answers requests and keeps them: a server, or a stub that is its own transport.
protocol Answering: AnyObject, Sendable {
    @discardableResult
    func on(_ method: HTTPMethod, _ pattern: String, _ response: MockResponse, _ more: MockResponse...) -> Self
    @discardableResult
    func on(
        _ method: HTTPMethod, _ pattern: String, _ answer: @escaping @Sendable (RecordedRequest) throws -> MockResponse
    ) -> Self
    var requests: [RecordedRequest] { get }
}

extension LoopbackServer: Answering {}
extension StubTransport: Answering {}

/// An engine and its server.
struct Fixture: Sendable {
    let transport: any Transport
    let peer: any Answering
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
    /// So that a hang is an error in time.
    static let patient = TransferContext(timeout: .seconds(30))
}
