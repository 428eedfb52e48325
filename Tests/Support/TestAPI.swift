package import Foundation
package import Halyard
package import HalyardTesting

/// A provider with settable properties.
package struct TestAPI: HTTPProvider {
    package var baseURL: URL
    package var additionalHeaders: HTTPHeaders = [:]
    package var additionalParams: Parameters = [:]
    package var client = TestAPI.patientClient
    package var authentication = Authentication.none
    package var serializers: Serializers = []
    package var encodings: [HTTPMethod: ParameterEncoding] = [:]
    package var onValidate: @Sendable (HTTPResponse) async throws -> Void = { try $0.requireSuccess() }
    package var onFailure: @Sendable (any Error) async -> Bool = { _ in true }

    /// The client of all tests that need no other. It has no idle time limit: on a busy machine, tests that run in
    /// parallel may leave a request waiting for a minute.
    package static let patientClient = HTTPClient(engine: EngineConfiguration(idleTimeout: nil))

    package init(baseURL: URL, client: HTTPClient = TestAPI.patientClient, authentication: Authentication = .none) {
        (self.baseURL, self.client, self.authentication) = (baseURL, client, authentication)
    }
}

extension TestAPI {
    package init(_ server: LoopbackServer, _ path: String = "/api") {
        self.init(baseURL: URL(string: "\(server.baseURL)\(path)")!)
    }

    package init(_ transport: some Transport, _ interceptors: any Interceptor...) {
        self.init(
            baseURL: URL(string: "https://api.example.com/v1")!,
            client: HTTPClient(transport: transport, interceptors: interceptors))
    }

    package func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding {
        encodings[method] ?? ([.post, .put, .patch].contains(method) ? .json : .url)
    }

    package func validate(_ response: HTTPResponse) async throws { try await onValidate(response) }

    package func shouldContinue(with error: any Error) async -> Bool { await onFailure(error) }

    package func with<Value>(_ path: WritableKeyPath<TestAPI, Value>, _ value: Value) -> TestAPI {
        var copy = self
        copy[keyPath: path] = value
        return copy
    }
}

extension Route {
    package static let me = Route(path: "/me")
    package static func user(_ id: String) -> Route { Route(path: "/user/\(id)") }
}

extension LoopbackServer {
    /// A server that answers every request of the nine methods with an empty 200.
    package static func accepting() throws -> LoopbackServer {
        let server = try LoopbackServer()
        for method in HTTPMethod.nine { server.on(method, "/*", .status(200)) }
        return server
    }

    /// The only request that the server received.
    package var request: RecordedRequest {
        get throws {
            guard let first = requests.first, requests.count == 1 else { throw Missing(count: requests.count) }
            return first
        }
    }

    package struct Missing: Error { let count: Int }
}

extension HTTPMethod {
    package static let nine: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
}

/// The values that a handler was called with.
package func response<Value: Sendable>(
    _ start: (@escaping @Sendable (Response<Value>) -> Void) -> Void
) async -> Response<Value> {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
}
