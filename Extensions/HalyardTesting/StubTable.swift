import HalyardHTTP

/// The stubs of a server or a transport. It chooses the response to a request, and has no effects.
struct StubTable: Sendable {
    /// The response of a stub.
    enum Reply: Sendable {
        /// One response after the other. The last one is repeated.
        case sequence([MockResponse])
        case closure(@Sendable (RecordedRequest) throws -> MockResponse)

        /// Returns the next response. It calls the user's closure, and must not be called with a lock.
        func response(to request: RecordedRequest) throws -> MockResponse {
            switch self {
            case .sequence(let responses): try (responses.first ?? .status(500)).checked()
            case .closure(let answer): try answer(request).checked()
            }
        }
    }

    private struct Stub: Sendable {
        let method: HTTPMethod
        let pattern: PathPattern
        var reply: Reply

        var name: String { "\(method) \(pattern.text)" }

        mutating func next() -> Reply {
            guard case .sequence(let responses) = reply else { return reply }
            if responses.count > 1 { reply = .sequence(Array(responses.dropFirst())) }
            return .sequence(Array(responses.prefix(1)))
        }
    }

    /// The stubs, the more specific pattern first.
    private var stubs: [Stub] = []

    /// Adds a stub, in place of one with the same method and pattern.
    mutating func set(_ method: HTTPMethod, _ pattern: String, _ reply: Reply) {
        let stub = Stub(method: method, pattern: PathPattern(pattern), reply: reply)
        stubs.removeAll { $0.name == stub.name }
        let place = stubs.firstIndex { stub.pattern.isMoreSpecific(than: $0.pattern) }
        stubs.insert(stub, at: place ?? stubs.endIndex)
    }

    /// Returns the reply to a request, sets the request's path parameters, and advances the sequence of responses.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - basePath: The path of the provider's base URL, which patterns may leave out.
    mutating func reply(to request: inout RecordedRequest, below basePath: String? = nil) -> Reply? {
        for path in Self.spellings(of: request.path, below: basePath) {
            for index in stubs.indices where stubs[index].method == request.method {
                guard let parameters = stubs[index].pattern.match(path, query: request.query) else { continue }
                request.pathParameters = parameters
                return stubs[index].next()
            }
        }
        return nil
    }

    /// Returns all stubs as `GET /user/{id}`: those for the request's path first, then the most similar ones.
    func names(nearest request: RecordedRequest, below basePath: String? = nil) -> [String] {
        let paths = Self.spellings(of: request.path, below: basePath)
        let wanted = "\(request.method) \(request.path)"
        let ranked = stubs.map { stub in
            let isSamePath = paths.contains { stub.pattern.matchesPath($0) }
            return (isSamePath ? 0 : 1, Self.distance(stub.name, wanted), stub.name)
        }
        return ranked.sorted { $0 < $1 }.map(\.2)
    }

    /// Returns the segments that patterns are compared with: the whole path, then the path after that of the base URL.
    private static func spellings(of path: String, below basePath: String?) -> [[Substring]] {
        let whole = PathPattern.segments(of: path)
        guard let basePath, basePath.contains(where: { $0 != "/" }) else { return [whole] }
        let base = PathPattern.segments(of: basePath)
        guard whole.starts(with: base) else { return [whole] }
        let rest = Array(whole.dropFirst(base.count))
        return [whole, rest.isEmpty ? [""] : rest]
    }

    /// Returns the Levenshtein distance: the number of bytes to insert, remove or replace.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.utf8.prefix(200)))
        var row = Array(0...second.count)
        for (i, left) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in second.enumerated() {
                let change = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[second.count]
    }
}
