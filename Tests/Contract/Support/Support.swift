import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

extension Transport {
    /// Sends one request to a server.
    func send(
        _ method: HTTPMethod = .get, to server: any Server, _ path: String = "/", headers: HTTPHeaders = [:],
        body: HTTPBody? = nil, destination: HTTPRequest.Destination = .memory(), context: TransferContext = .patient
    ) async throws -> HTTPResponse {
        let url = try #require(URL(string: "\(server.baseURL)\(path)"))
        let request = try HTTPRequest(method, url, headers: headers, body: body, destination: destination)
        return try await send(request, context: context)
    }
}

/// A server with a URL.
protocol Server { var baseURL: URL { get } }
extension LoopbackServer: Server {}
extension ScriptedServer: Server {}

extension Engine: CustomTestStringConvertible {
    public var testDescription: String { rawValue }
}
