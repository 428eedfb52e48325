import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Properties of a provider whose types the compiler cannot infer: it uses the defaults. A debug build tells so.
struct UnusedPropertyTests {
    private static let url = URL(string: "https://api.example.com") ?? URL(filePath: "/")
    private static let stub = StubTransport().on(.get, "/", .text("1"))

    private struct Mapping: HTTPProvider {
        static let mapper = ObjectMapper(keys: .snakeCase)
        let baseURL = UnusedPropertyTests.url
        let client = HTTPClient(transport: UnusedPropertyTests.stub)
        let mapper = Mapping.mapper
    }

    private struct Sending: HTTPProvider {
        static let client = HTTPClient(transport: UnusedPropertyTests.stub)
        let baseURL = UnusedPropertyTests.url
        let client = Sending.client
    }

    private struct Failing: HTTPProvider {
        static let failures = Failures.json(APIFailure.self)
        let baseURL = UnusedPropertyTests.url
        let client = HTTPClient(transport: UnusedPropertyTests.stub)
        let failures = Failing.failures
    }

    private struct APIFailure: Error, Decodable {}

    private struct Typed: HTTPProvider {
        static let mapper = ObjectMapper(keys: .snakeCase)
        static let client = HTTPClient(transport: UnusedPropertyTests.stub)
        static let authentication = Authentication.bearer("x")
        static let additionalHeaders = ["A": "1"]
        let baseURL = UnusedPropertyTests.url
        let mapper: ObjectMapper = Typed.mapper
        let client: HTTPClient = Typed.client
        let authentication: Authentication = Typed.authentication
        let additionalHeaders: [String: String] = Typed.additionalHeaders
    }

    @Test func `a request to a provider with a property that is not used fails, and names it`() async throws {
        // If a compiler infers the type, the property is used, and nothing fails.
        for (provider, name, type) in [
            (Mapping() as any HTTPProvider, "mapper", "ObjectMapper"), (Sending(), "client", "HTTPClient"),
            (Failing(), "failures", "Failures"),
        ] {
            let error = await failure { _ = try await provider.request(Route(path: "/")).text() }
            #if DEBUG
                #expect(error?.kind == .configuration(name))
                #expect(error?.suggestion == "Write the type: let \(name): \(type) = ...")
                #expect(error?.reason?.contains(".\(name), and uses the default") == true)
            #endif
        }
    }

    @Test func `properties with types are used`() async throws {
        #expect(try await Typed().request(Route(path: "/")).text() == "1")
        #expect(Self.stub.requests.last?.headers["A"] == "1")
        #expect(Self.stub.requests.last?.headers["Authorization"] == "Bearer x")
    }
}
