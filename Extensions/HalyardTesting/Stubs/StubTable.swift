import Halyard
import HalyardHTTP

/// The stubs of a server or a transport. It chooses the response to a request, and counts the requests of each stub.
struct StubTable: Sendable {
    private struct Entry: Sendable {
        var stub: Stub
        /// The number of requests so far.
        var requestCount = 0
        /// The number of responses, if they are a sequence.
        let responseCount: Int

        init(_ stub: Stub) {
            self.stub = stub
            responseCount = if case .sequence(let responses) = stub.reply { responses.count } else { 1 }
        }

        mutating func next() -> Stub.Reply {
            requestCount += 1
            guard case .sequence(let responses) = stub.reply else { return stub.reply }
            if responses.count > 1 { stub.reply = .sequence(Array(responses.dropFirst())) }
            return .sequence(Array(responses.prefix(1)))
        }

        var problem: String? {
            if let problem = stub.count.problem(with: requestCount) { return "\(stub) \(problem)" }
            guard stub.count.isAtLeastOnce, requestCount < responseCount else { return nil }
            return "\(stub): \(requestCount) of its \(responseCount) responses were used"
        }
    }

    /// The stubs, the more specific one first.
    private var entries: [Entry] = []
    /// The first requests that no stub matched.
    private var unmatched: [String] = []

    /// Adds a stub, in place of one with the same method, pattern and conditions.
    mutating func set(_ stub: Stub) {
        let identity = stub.identity
        entries.removeAll { $0.stub.identity == identity }
        let place = entries.firstIndex { stub.isMoreSpecific(than: $0.stub) }
        entries.insert(Entry(stub), at: place ?? entries.endIndex)
    }

    /// Returns the reply to a request, sets the request's stub and path parameters, and advances the sequence of
    /// responses. A request that no stub matches is noted. `basePath` is the path of the provider's base URL, which
    /// patterns may leave out.
    mutating func reply(to request: inout RecordedRequest, below basePath: String? = nil) -> Stub.Reply? {
        for path in Self.spellings(of: request.path, below: basePath) {
            for index in entries.indices where entries[index].stub.method == request.method {
                let stub = entries[index].stub
                guard let parameters = stub.pattern.match(path, query: request.query) else { continue }
                request.pathParameters = parameters
                guard stub.conditions.allSatisfy({ $0.mismatch(request) == nil }) else { continue }
                request.stub = stub.name
                return entries[index].next()
            }
        }
        request.pathParameters = [:]
        if unmatched.count < 100 { unmatched.append("\(request.method) \(request.path)") }
        return nil
    }

    /// Returns the problems that the stubs have with the requests so far.
    var problems: [String] {
        let names = entries.prefix(5).map(\.stub.description).joined(separator: ", ")
        return entries.compactMap(\.problem)
            + unmatched.map { "\($0) matched no stub" + (names.isEmpty ? "" : ". The stubs are: \(names)") }
    }

    /// Releases the closures of all stubs. The counts are kept. Returns the closures, to be released without a lock.
    mutating func releaseReplies() -> [Stub.Reply] {
        let replies = entries.map(\.stub.reply)
        for index in entries.indices { entries[index].stub.reply = .sequence([]) }
        return replies
    }

    /// Returns all stubs as `GET /user/{id}`: those for the request's path first, with what they demand and the request
    /// has not, then the most similar ones.
    func names(nearest request: RecordedRequest, below basePath: String? = nil) -> [String] {
        let paths = Self.spellings(of: request.path, below: basePath)
        let ranked = entries.map { entry in
            let stub = entry.stub
            let isSamePath = paths.contains { stub.pattern.matchesPath($0) }
            let difference = isSamePath ? stub.difference(from: request) : nil
            let text = stub.description + (difference.map { " (\($0))" } ?? "")
            let isOtherMethod = stub.method == request.method ? 0 : 1
            return (
                isSamePath ? 0 : 1, -zip(stub.pattern.text, paths.last ?? "").prefix { $0 == $1 }.count, isOtherMethod,
                text
            )
        }
        return ranked.sorted { $0 < $1 }.map(\.3)
    }

    /// Returns the paths that patterns are compared with: the whole path, then that after the path of the base URL.
    private static func spellings(of path: String, below basePath: String?) -> [String] {
        let base = (basePath ?? "").split(separator: "/", omittingEmptySubsequences: true).map { "/" + $0 }.joined()
        guard !base.isEmpty, path == base || path.hasPrefix(base + "/") else { return [path] }
        return [path, path == base ? "/" : String(path.dropFirst(base.count))]
    }
}

extension Stub {
    /// Returns whether this stub takes precedence over another one.
    fileprivate func isMoreSpecific(than other: Stub) -> Bool {
        if pattern.isMoreSpecific(than: other.pattern) { return true }
        return conditions.count > other.conditions.count && !other.pattern.isMoreSpecific(than: pattern)
    }

    /// Returns what a request for the stub's path has instead of what the stub demands.
    fileprivate func difference(from request: RecordedRequest) -> String? {
        guard method == request.method else { return nil }
        let differences = conditions.compactMap { condition in
            condition.mismatch(request).map { "\(condition.description): \($0)" }
        }
        return differences.isEmpty ? nil : differences.joined(separator: "; ")
    }
}
