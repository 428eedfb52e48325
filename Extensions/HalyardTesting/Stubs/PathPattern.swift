import HalyardHTTP

/// A pattern of a stub: `/user/{id}`, `/files/*`, `/search?q=x`.
///
/// A placeholder matches one segment that is not empty. `*` as the last segment matches any rest. Everything else is
/// compared in percent-encoded form. A pattern without a query matches every query.
struct PathPattern: Sendable {
    private enum Segment: Hashable, Sendable {
        case literal(String)
        case placeholder(String)
        case rest
    }

    /// The pattern as it was written, with a leading slash.
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

    /// Makes a pattern that matches one path, percent-encoded, with any query.
    init(literal path: String) {
        text = path.hasPrefix("/") ? path : "/" + path
        query = nil
        segments = Self.segments(of: text).map { .literal(String($0)) }
    }

    /// Returns the segments of a path, percent-encoded: two for `/user/`, the second empty.
    static func segments(of path: some StringProtocol) -> [Substring] {
        let text = Substring(path)
        let slash = UInt8(ascii: "/")
        let local = text.utf8.first == slash ? text.utf8.dropFirst() : text.utf8
        return local.split(separator: slash, omittingEmptySubsequences: false).map(Substring.init)
    }

    /// Returns the values of the placeholders, percent-decoded. `nil` if the pattern does not match.
    func match(_ path: [Substring], query: String?) -> [String: String]? {
        guard self.query.map({ $0 == query ?? "" }) ?? true else { return nil }
        return match(path)
    }

    /// Returns whether the path matches, with any query.
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

    /// Returns whether this pattern takes precedence: literals over placeholders, placeholders over `*`, a query over
    /// none.
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
