import Foundation
import HalyardAsync
import HalyardTesting

/// `swift run quickstart` runs examples against a server in the same process. `swift run quickstart URL` sends a GET to
/// the URL and prints the response. The exit status is 0 if all succeed, 1 after a failure, and 2 if libcurl is
/// missing.
@main
struct Quickstart {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        do {
            if let url = arguments.first { try await read(url) } else { try await Tour().run() }
        } catch {
            print("\nError: \(error)")
            exit(error == HTTPError(.engineUnavailable) ? 2 : 1)
        }
    }

    /// One GET without a provider.
    private static func read(_ url: String) async throws {
        let response = try await DefaultProvider.request(url).response()
        print("\(response.status) \(HTTPResponse.reasonPhrase(for: response.status) ?? "")")
        for field in response.headers { print("\(field.name): \(field.value)") }
        let json = try? response.json()
        print("\n" + (json?.prettyPrinted ?? String(response.text.prefix(2000))))
    }
}

/// Starts a small music catalogue: a real HTTP server in this process, on a free port.
func startCatalogue() throws -> LoopbackServer {
    let server = try LoopbackServer(recordLimit: 1)
    server.on(.get, "/v1/me", .json(User(id: "1", name: "Ann")))
    server.on(.get, "/v1/charts", .json(text: #"{"title": "Charts", "tracks": ["Anchors", "Signals"]}"#))
    server.on(.get, "/v1/track/{id}", .json(text: #"{"error": {"code": 800, "message": "no data"}}"#))
    server.on(.get, "/v1/search") { request in .json(request.queryItems.map { "\($0.name)=\($0.value)" }) }
    server.on(.get, "/v1/user/{id}") { request in
        .json(User(id: request.pathParameters["id"] ?? "", name: "Bo"))
    }
    server.on(.post, "/v1/upload") { request in .json(["bytes": request.body.count]) }
    server.on(.get, "/v1/dump", .data(Data(repeating: 0x5A, count: 16 << 20)))
    return server
}
