import Foundation
import HalyardAsync
import HalyardTesting

/// A tour of Halyard, or one GET. See ``usage``.
@main
struct Quickstart {
    static let usage = """
        usage: swift run quickstart         run examples against a server in this process
               swift run quickstart URL     send a GET to a URL, and print the response

        The exit status is 0 after success, 1 after a failure, 2 if libcurl is missing, and 64 for other arguments.
        """

    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--help"] || arguments == ["-h"] { return print(usage) }
        guard arguments.isEmpty || arguments.count == 1 && arguments[0].contains("://") else {
            print(
                "quickstart takes one URL, such as https://example.com/. It was given: "
                    + arguments.joined(separator: " ") + "\n\n" + usage)
            exit(64)
        }
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
