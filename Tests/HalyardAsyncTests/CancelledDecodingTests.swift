import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

struct CancelledDecodingTests {
    @Test func `a task canceled before a short body is decoded throws CancellationError`() async throws {
        let stub = StubTransport().on(.get, "/me", .json(text: #"{"a": 1}"#))
        let api = TestAPI(
            baseURL: try #require(URL(string: "https://api.example.com")), client: HTTPClient(transport: stub)
        ).with(\.onValidate) { _ in withUnsafeCurrentTask { $0?.cancel() } }
        let error = await Task { await #expect(throws: CancellationError.self) { try await api.request(.me).json() } }
            .value
        #expect(error != nil)
    }
}
