import Footprint
import Foundation
import HalyardAsync
import HalyardCurl
import HalyardFutures

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `bench CLIENT CASE URL ...`: one client at one piece of work, measured by itself. `run.py` runs it in turns with its
/// peers and makes ratios of what it prints: one line of JSON.
///
///     bench engine|callback|future|await|urlsession get URL COUNT IN-FLIGHT
@main
struct Bench {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 4, let url = URL(string: words[3]) else { return usage() }
        let client = try Client.named(words[1])
        switch (words[2], words.count) {
        case ("get", 6):
            guard let count = Int(words[4]), let inFlight = Int(words[5]) else { return usage() }
            try await Measurement.many(count, inFlight) { try await client.get(url) }
        default: usage()
        }
    }

    private static func usage() {
        print("bench engine|callback|future|await|urlsession get URL COUNT IN-FLIGHT")
        exit(2)
    }
}
