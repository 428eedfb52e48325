import Foundation
import HalyardAsync

/// `fuzz TARGET SECONDS SEED PORT` is started by `fuzz.py`. It sends requests with hostile input to the checker that
/// listens on the port. Before each request it prints, as one line of JSON, what the checker must find.
@main
struct Main {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let seconds = Double(arguments[2]), let seed = UInt64(arguments[3]),
            let port = Int(arguments[4]), let url = URL(string: "http://127.0.0.1:\(port)")
        else { fatalError("fuzz TARGET SECONDS SEED PORT") }
        let targets: [String: @Sendable (inout Chance, Checker) async throws -> Void] = [
            "query": fuzzQuery, "form": fuzzForm, "multipart": fuzzMultipart, "header": fuzzHeader, "path": fuzzPath,
            "json": fuzzJSON, "cookie": fuzzSetCookie, "location": fuzzLocation, "challenge": fuzzChallenge,
            "alternatives": fuzzAlternatives, "hsts": fuzzHSTS, "retryAfter": fuzzRetryAfter, "events": fuzzEvents,
            "links": fuzzLinks, "lines": fuzzLines,
            "frames": fuzzFrames, "handshakes": fuzzHandshakes, "cacheControl": fuzzCacheControl, "vary": fuzzVary,
            "cursors": fuzzCursors, "cassettes": fuzzCassettes, "cacheFiles": fuzzCacheFiles,
            "fields": fuzzFields, "redirects": fuzzRedirects, "credentials": fuzzCredentials,
            "signatures": fuzzSignatures, "uploads": fuzzUploads, "records": fuzzRecords,
        ]
        guard let target = targets[arguments[1]] else { fatalError("targets: \(targets.keys.sorted())") }

        var chance = Chance(seed: seed)
        let checker = Checker(api: API(baseURL: url))
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        while clock.now < end { try await target(&chance, checker) }
    }
}

struct API: HTTPProvider {
    let baseURL: URL
}

/// The program that checks each request.
struct Checker: Sendable {
    let api: API
    /// A client for the servers of a target.
    let client = HTTPClient(engine: EngineConfiguration(proxy: .direct))

    /// Sends a route, after writing what the checker must find.
    @discardableResult
    func expect(_ expected: JSON, of route: Route) async throws -> HTTPResponse {
        FileHandle.standardOutput.write(expected.encoded() + Data("\n".utf8))
        return try await api.request(route).response()
    }

    /// Builds and sends a route that must be rejected before anything is sent. The kind is as an error keeps it, without
    /// what may be a secret.
    func expectRefusal(of route: Route, _ kind: HTTPError.Kind) async {
        do {
            _ = try await api.request(route).response()
            fatalError("\(route) was sent")
        } catch let error as HTTPError where error.kind == HTTPError(kind).kind {} catch {
            fatalError("\(route): \(error)")
        }
    }
}
