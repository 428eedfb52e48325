import HalyardHTTP

/// What a stub answers: `/user/{id}`, `/files/*`, `/search?q=x`.
///
/// A placeholder matches one segment that is not empty; `*` as the last segment matches the rest, whatever it is.
/// Everything else is compared as it stands on the wire. A pattern without a query matches every query.
struct PathPattern: Sendable {
    private enum Segment: Hashable, Sendable {
        case literal(String)
        case placeholder(String)
        case rest
    }

    /// The pattern as it was written, with a slash in front.
    let text: String
    private let segments: [Segment]
    private let query: Substring?

    init(_ pattern: String) {
        text = pattern.hasPrefix("/") ? pattern : "/" + pattern
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count > 1 ? parts[1] : nil
        let names = Self.segments(of: parts[0])
        segments = names.enumerated().map { place, name in
            if name == "*", place == names.count - 1 { return .rest }
            let isPlaceholder = name.hasPrefix("{") && name.hasSuffix("}")
            return isPlaceholder ? .placeholder(String(name.dropFirst().dropLast())) : .literal(String(name))
        }
    }

    /// The path's raw segments: two for `/user/`, the second empty.
    static func segments(of path: some StringProtocol) -> [Substring] {
        let text = Substring(path)
        let slash = UInt8(ascii: "/")
        let local = text.utf8.first == slash ? text.utf8.dropFirst() : text.utf8
        return local.split(separator: slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    /// What the placeholders stand for, percent-decoded; `nil` where the pattern does not match.
    func match(_ path: [Substring], query: String?) -> [String: String]? {
        guard self.query.map({ $0 == query ?? "" }) ?? true else { return nil }
        return match(path)
    }

    /// Whether the path matches, whatever the query.
    func matchesPath(_ path: [Substring]) -> Bool { match(path) != nil }

    private func match(_ path: [Substring]) -> [String: String]? {
        let isOpen = segments.last == .rest
        guard isOpen ? path.count >= segments.count : path.count == segments.count else { return nil }

        var parameters: [String: String] = [:]
        for (segment, given) in zip(segments, path) {
            switch segment {
            case .literal(let name): guard given == name else { return nil }
            case .placeholder(let name):
                guard !given.isEmpty else { return nil }
                parameters[name] = given.percentDecoded
            case .rest: return parameters
            }
        }
        return parameters
    }

    /// Whether this pattern is asked first: literals before placeholders before `*`, a query before none.
    func isMoreSpecific(than other: PathPattern) -> Bool {
        ranks.lexicographicallyPrecedes(other.ranks)
    }

    private var ranks: [Int] {
        segments.map {
            switch $0 {
            case .literal: 0
            case .placeholder: 1
            case .rest: 2
            }
        } + [query == nil ? 1 : 0]
    }
}
