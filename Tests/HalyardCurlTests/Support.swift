import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import Testing

extension CurlTransport {
    /// Sends one request to a server.
    func send(
        _ method: HTTPMethod = .get, to server: LoopbackServer, _ path: String = "/", headers: HTTPHeaders = [:],
        body: HTTPBody? = nil, destination: HTTPRequest.Destination = .memory(),
        context: TransferContext = TransferContext()
    ) async throws -> HTTPResponse {
        let url = try #require(URL(string: "\(server.baseURL)\(path)"))
        let request = try HTTPRequest(method, url, headers: headers, body: body, destination: destination)
        return try await send(request, context: context)
    }
}
