import HalyardCodable

/// A path with names in braces, as declared by an endpoint. It has no effects.
struct PathTemplate: Sendable {
    private enum Piece: Sendable {
        case literal(String)
        case placeholder(String)
    }

    let text: String
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

    /// Returns the error of arguments that do not match the path, or each other. `nil` if they do.
    func flaw(filledBy places: [ArgumentPlace], _ method: HTTPMethod, _ encoding: ParameterEncoding?) -> HTTPError? {
        flaw(ofPath: places) ?? flaw(ofBody: places, method, encoding)
    }

    private func flaw(ofPath places: [ArgumentPlace]) -> HTTPError? {
        if text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") {
            return HTTPError(
                .invalidPath(text), reason: "it is a whole URL, where a path is appended to the provider's base URL",
                suggestion: "Write the path alone, or send Route(url:).returning(...)")
        }
        let names = places.compactMap { if case .path(let name) = $0 { name } else { nil } }
        let empty = placeholders.filter { !names.contains($0) }
        let unused = names.filter { !placeholders.contains($0) }
        var (reasons, advice) = ([String](), [String]())
        if !empty.isEmpty {
            reasons += empty.map { "no argument fills {\($0)}" }
            let missing = empty.map { ".path(\"\($0)\")" }.joined(separator: ", ")
            advice.append("Give the endpoint \(missing) where the call is to give its value")
        }
        if !unused.isEmpty {
            reasons += unused.map { "nothing in it is called {\($0)}, which .path(\"\($0)\") is to fill" }
            let missing = unused.map { "{\($0)}" }.joined(separator: ", ")
            if empty.isEmpty { advice.append("Write \(missing) in the path where its value is to stand") }
        }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            reasons.append("two arguments fill {\(twice)}")
            advice.append("Leave one .path(\"\(twice)\")")
        }
        if hasLoneBrace {
            reasons.append("a brace has no partner")
            advice.append("Write {name}, with both braces; a brace of the path's own is %7B or %7D")
        }
        if reasons.isEmpty { return nil }
        return HTTPError(
            .invalidPath(text), reason: reasons.joined(separator: ", and "), suggestion: advice.joined(separator: ". "))
    }

    private func flaw(
        ofBody places: [ArgumentPlace], _ method: HTTPMethod, _ encoding: ParameterEncoding?
    ) -> HTTPError? {
        // With an explicit encoding, an endpoint may have fields in a GET: in the query, or in a body.
        if method == .get || method == .head, encoding == nil, places.contains(where: { $0 == .field || $0 == .part }) {
            return HTTPError(
                .encoding("the body"),
                reason: "\(text) declares fields or parts, and a \(method) has no body that counts",
                suggestion: "Declare .query(...), or another method; with encoding: they go where it says")
        }
        let bodies = places.count { $0 == .body }
        guard bodies > 1 || bodies == 1 && places.contains(where: { $0 == .field || $0 == .part }) else { return nil }
        return HTTPError(
            .encoding("the body"),
            reason: bodies > 1
                ? "\(text) declares \(bodies) bodies" : "\(text) declares a body, and fields or parts beside it",
            suggestion: "Leave one argument that makes the body; what is for the query is .query(...)")
    }

    /// Returns the path with its values. A value that is not a segment becomes the flaw of the path.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidPath` for a value that is `nil`.
    func path(_ values: [String: ParameterValue]) throws(HTTPError) -> RoutePath {
        for name in placeholders {
            if let reason = values[name].map(Self.flaw) ?? "nil" {
                throw HTTPError(.invalidPath(text), reason: "the value for {\(name)} is \(reason)")
            }
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

    /// Returns the reason why a value cannot be a segment, whatever its text.
    private static func flaw(of value: ParameterValue) -> String? {
        switch value.storage {
        case .absent: "nil"
        case .nothing: "null"
        // It has a reason of its own.
        case .unwritable: nil
        default: value.text == nil ? "a file, a list or an object, which is no single segment" : nil
        }
    }
}
