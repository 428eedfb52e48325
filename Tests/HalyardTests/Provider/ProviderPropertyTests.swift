import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The properties of a provider: their types are inferred, and the values are used.
struct ProviderPropertyTests {
    private static let url = URL(string: "https://api.example.com") ?? URL(filePath: "/")
    private static let stub = StubTransport().on(.get, "/*", .text("1"))

    private struct Inferred: HTTPProvider {
        static let mapper = ObjectMapper(keys: .snakeCase)
        static let client = HTTPClient(transport: ProviderPropertyTests.stub)
        static let failures = Failures.json(APIFailure.self)
        static let authentication = Authentication.bearer("x")
        let baseURL = ProviderPropertyTests.url
        let mapper: ObjectMapper = Inferred.mapper
        let client: HTTPClient = Inferred.client
        let failures: Failures = Inferred.failures
        let authentication: Authentication = Inferred.authentication
        let additionalHeaders = ["X-Version": 2, "X-Page": 1]
        var additionalParams = ["x": 1]
    }

    private struct Typed: HTTPProvider {
        let baseURL = ProviderPropertyTests.url
        let client = HTTPClient(transport: ProviderPropertyTests.stub)
        let additionalHeaders: HTTPHeaders = ["X-Version": "2"]
        let additionalParams: Parameters = ["x": 1, "y": "z"]
    }

    private struct Mixed: HTTPProvider {
        let baseURL = ProviderPropertyTests.url
        let client = HTTPClient(transport: ProviderPropertyTests.stub)
        var additionalHeaders: Parameters
        let additionalParams: HTTPHeaders = ["x": "1"]
    }

    private struct APIFailure: Error, Decodable {}

    /// Returns the request as it arrived. The tests share the stub, and each type of provider has a path of its own.
    private func sent(_ provider: any HTTPProvider) async throws -> RecordedRequest? {
        let path = "/\(type(of: provider))"
        #expect(try await provider.request(Route(path: RoutePath(verbatim: path))).text() == "1")
        return Self.stub.requests.last { $0.path == path }
    }

    @Test func `inferred properties are used, even those typed and named like a static property`() async throws {
        let request = try await sent(Inferred())
        #expect(request?.headers["X-Version"] == "2")
        #expect(request?.headers["X-Page"] == "1")
        #expect(request?.headers["Authorization"] == "Bearer x")
        #expect(request?.query == "x=1")
    }

    @Test func `typed properties are used, even in dry mode`() async throws {
        let request = try await sent(Typed())
        #expect(request?.headers["X-Version"] == "2")
        #expect(request?.query == "x=1&y=z")
        #expect(Typed().dry().additionalParams.asHeaders["y"] == "z")
    }

    @Test func `parameters can be headers, and a value that is not text fails the request`() async throws {
        let request = try await sent(Mixed(additionalHeaders: ["X-Tags": ["a", "b"], "X-On": true]))
        #expect(request?.headers["X-Tags"] == "a, b")
        #expect(request?.headers["X-On"] == "true")
        #expect(request?.query == "x=1")
        let error = await failure { _ = try await sent(Mixed(additionalHeaders: ["X-File": .file(Self.url)])) }
        #expect(error?.kind == .invalidHeader("X-File"))
        #expect(error?.reason?.contains("its value is not text") == true)
    }
}
