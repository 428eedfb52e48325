import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
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

/// What has an address.
protocol Server { var baseURL: URL { get } }
extension LoopbackServer: Server {}

extension Engine: CustomTestStringConvertible {
    public var testDescription: String { rawValue }
}

/// Waits, without sleeping, for something that another thread brings about.
func eventually(_ what: Comment, within limit: Duration = .seconds(60), _ isSo: () throws -> Bool) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while try !isSo() {
        try #require(clock.now < end, what)
        await Task.yield()
    }
}

/// The error with which something fails; nil when it does not, or with another type's.
func failure(_ action: () async throws -> Void) async -> HTTPError? {
    do {
        try await action()
        return nil
    } catch { return error as? HTTPError }
}
