import Footprint
import Foundation

/// `bench CLIENT CASE ...` measures one client with one piece of work. It prints one line of JSON. `run.py` runs the
/// clients in turn, and calculates ratios.
@main
struct Bench {
    private static let usage = """
        bench engine|callback|future|await|urlsession get URL COUNT IN-FLIGHT [TRUSTED-ROOT]
        bench await|foundation|urlsession json URL COUNT IN-FLIGHT
        bench await up-file|up-multipart URL FILE
        bench await down-memory|down-file|down-stream URL FILE
        bench cache COUNT [SIZE-OF-A-FILE]
        bench build COUNT [bare|query|form|json|multipart|copy]
        """

    static func main() async throws {
        // libcurl is loaded before the measurement, because the peer is linked with it.
        _ = dlopen("libcurl.so.4", RTLD_NOW)
        _ = Measurement.cpuAtStart
        let words = Array(CommandLine.arguments.dropFirst())
        if words.count >= 2, words[0] == "build", let count = Int(words[1]) {
            return try await Building.measure(count, only: words.count > 2 ? words[2] : nil)
        }
        if words.count >= 2, words[0] == "cache", let count = Int(words[1]) {
            guard words.count > 2, let size = Int(words[2]) else { return try await Cached.measure(count) }
            return try await CachedOnDisk.measure(count, size: size)
        }
        guard words.count >= 4, let url = URL(string: words[2]) else { return fail() }
        switch (words[1], Int(words[3]), words.count > 4 ? Int(words[4]) : nil) {
        case ("get", let count?, let inFlight?):
            let client = try Client.named(words[0], inFlight, root: words.count > 5 ? words[5] : nil)
            try await Measurement.many(count, inFlight) { try await client.get(url) }
        case ("json", let count?, let inFlight?):
            let client = try Client.named(words[0], inFlight, root: nil)
            try await Measurement.many(count, inFlight) { try await client.json(url) }
        case (let work, _, _):
            let file = URL(filePath: words[3])
            try await Measurement.one { try await Large.run(work, url, file) }
        }
    }

    private static func fail() {
        print(usage)
        exit(2)
    }
}
