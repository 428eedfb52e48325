// options: -default-isolation MainActor
import Foundation
import HalyardAsync

struct User: Codable, Sendable { var name: String }

struct API { var baseURL: URL { URL(string: "https://api.example.com")! } }

// error: conformance of 'API' to protocol 'HTTPProvider' crosses into main actor-isolated code and can cause data races [#ConformanceIsolation]
extension API: HTTPProvider {
    func validate(_ response: HTTPResponse) async throws { try response.requireSuccess() }
}

func greet(_ request: Request) async throws -> User {
    // error: main actor-isolated conformance of 'User' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter  [#IsolatedConformances]
    try await request.object()
}

extension Route { static let me = Route(path: "/me") }

nonisolated func find() -> Route {
    // error: main actor-isolated static property 'me' can not be referenced from a nonisolated context
    .me
}
