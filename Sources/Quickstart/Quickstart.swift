import Foundation
import HalyardAsync

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
