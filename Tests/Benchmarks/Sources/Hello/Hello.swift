import HalyardAsync

/// The smallest program: it sends one GET, prints the length of the body and ends.
@main
enum Hello {
    static func main() async throws {
        print(try await DefaultProvider.request(CommandLine.arguments.last ?? "").data().count)
    }
}
