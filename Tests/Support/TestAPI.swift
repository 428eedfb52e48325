import Foundation
import HalyardAsync
import HalyardTesting

/// A provider whose every part a test can set.
struct TestAPI: HTTPProvider {
    var baseURL: URL
    var additionalHeaders: HTTPHeaders = [:]
    var additionalParams: Parameters = [:]
    var client = HTTPClient.shared
    var authentication = Authentication.none
    var serializers: Serializers = []
    var encodings: [HTTPMethod: ParameterEncoding] = [:]
    var onValidate: @Sendable (HTTPResponse) async throws -> Void = { try $0.requireSuccess() }
    var onFailure: @Sendable (any Error) async -> Bool = { _ in true }
}

extension TestAPI {
    init(_ server: LoopbackServer, _ path: String = "/api") {
        self.init(baseURL: URL(string: "\(server.baseURL)\(path)")!)
    }

    init(_ transport: some Transport, _ interceptors: any Interceptor...) {
        self.init(
            baseURL: URL(string: "https://api.example.com/v1")!,
            client: HTTPClient(transport: transport, interceptors: interceptors))
    }

    func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding {
        encodings[method] ?? (method == .post || method == .put ? .json : .url)
    }

    func validate(_ response: HTTPResponse) async throws { try await onValidate(response) }

    func shouldContinue(with error: any Error) async -> Bool { await onFailure(error) }

    func with<Value>(_ path: WritableKeyPath<TestAPI, Value>, _ value: Value) -> TestAPI {
        var copy = self
        copy[keyPath: path] = value
        return copy
    }
}

extension LoopbackServer {
    /// A server that answers every request of the nine methods with an empty 200.
    static func accepting() throws -> LoopbackServer {
        let server = try LoopbackServer()
        for method in HTTPMethod.nine { server.on(method, "/*", .status(200)) }
        return server
    }

    /// The only request that came.
    var request: RecordedRequest {
        get throws {
            guard let first = requests.first, requests.count == 1 else { throw Missing(count: requests.count) }
            return first
        }
    }

    struct Missing: Error { let count: Int }
}

extension HTTPMethod {
    static let nine: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
}

/// What a handler was called with.
func response<Value: Sendable>(
    _ start: (@escaping @Sendable (Response<Value>) -> Void) -> Void
) async -> Response<Value> {
    await withCheckedContinuation { continuation in start { continuation.resume(returning: $0) } }
}
extension User: Equatable {
    static func == (left: User, right: User) -> Bool { left.id == right.id && left.name == right.name }
}
