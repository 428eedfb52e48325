import HalyardCodable

/// A path with names in braces, as an endpoint declares it. Pure.
struct PathTemplate: Sendable {
    private enum Piece: Sendable {
        case literal(String)
        case placeholder(String)
    }

    private let text: String
    private let pieces: [Piece]

    init(_ text: String) {
        self.text = text
        var (pieces, rest) = ([Piece](), text[...])
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            pieces.append(.placeholder(String(rest[rest.index(after: open)..<close])))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        self.pieces = pieces
    }

    private var placeholders: [String] {
        pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    private var hasLoneBrace: Bool {
        pieces.contains { piece in
            guard case .literal(let text) = piece else { return false }
            return text.contains { $0 == "{" || $0 == "}" }
        }
    }

    /// Why the arguments do not fill it, or each other's place.
    func flaw(filledBy places: [ArgumentPlace]) -> HTTPError? {
        let names = places.compactMap { if case .path(let name) = $0 { name } else { nil } }
        let empty = placeholders.filter { !names.contains($0) }
        let unused = names.filter { !placeholders.contains($0) }
        var reasons =
            empty.map { "no argument fills {\($0)}" }
            + unused.map { "nothing in it is called {\($0)}, which .path(\"\($0)\") is to fill" }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            reasons.append("two arguments fill {\(twice)}")
        }
        if hasLoneBrace {
            reasons.append("a brace has no partner")
        }
        if !reasons.isEmpty {
            let missing = empty.map { ".path(\"\($0)\")" }.joined(separator: ", ")
            return HTTPError(
                .invalidPath(text), reason: reasons.joined(separator: ", and "),
                suggestion: empty.isEmpty ? nil : "Give the endpoint \(missing) where the call is to give its value")
        }
        let bodies = places.count { $0 == .body }
        guard bodies > 1 || bodies == 1 && places.contains(where: { $0 == .field || $0 == .part }) else { return nil }
        return HTTPError(
            .encoding("the body"),
            reason: bodies > 1
                ? "\(text) declares \(bodies) bodies" : "\(text) declares a body, and fields or parts beside it",
            suggestion: "Leave one argument that makes the body; what is for the query is .query(...)")
    }

    /// The path with its values.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidPath` when one is `nil`. What is no segment is the path's own flaw.
    func path(_ values: [String: ParameterValue]) throws(HTTPError) -> RoutePath {
        for name in placeholders where values[name].map({ $0.storage == .absent }) ?? true {
            throw HTTPError(.invalidPath(text), reason: "the value for {\(name)} is nil")
        }
        return RoutePath { builder in
            for piece in pieces {
                switch piece {
                case .literal(let text): builder.append(literal: text)
                case .placeholder(let name):
                    if let value = values[name] { builder.append(value) }
                }
            }
        }
    }
}
