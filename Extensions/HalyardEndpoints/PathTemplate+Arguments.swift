import HalyardCodable

// What an endpoint declares, and what fills it.
extension PathTemplate {
    private var hasLoneBrace: Bool {
        pieces.contains { piece in
            guard case .literal(let text) = piece else { return false }
            return text.contains { $0 == "{" || $0 == "}" }
        }
    }

    /// Returns the error of arguments that do not match the path, or each other. `nil` if they do.
    func declarationError(filledBy places: [ArgumentPlace], _ method: HTTPMethod, _ encoding: ParameterEncoding?)
        -> HTTPError?
    {
        pathError(places) ?? bodyError(places, method, encoding)
    }

    private func pathError(_ places: [ArgumentPlace]) -> HTTPError? {
        if text.lowercased().hasPrefix("http://") || text.lowercased().hasPrefix("https://") {
            return HTTPError(
                .invalidPath(text), reason: "it is an absolute URL, but must be a path below the provider's base URL",
                suggestion: "Pass only the path, or send Route(url:).returning(...)")
        }
        let names = places.compactMap { if case .path(let name) = $0 { name } else { nil } }
        let empty = placeholders.filter { !names.contains($0) }
        let unused = names.filter { !placeholders.contains($0) }
        var problems: [(reason: String, suggestion: String?)] = []
        problems += empty.map { ("no argument fills {\($0)}", "Add .path(\"\($0)\") to the endpoint's arguments") }
        problems += unused.map { name in
            let remedy = empty.isEmpty ? "Add {\(name)} to the path" : nil
            return ("it has no placeholder {\(name)} for .path(\"\(name)\")", remedy)
        }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            problems.append(("two arguments fill {\(twice)}", "Remove all but one .path(\"\(twice)\")"))
        }
        if hasLoneBrace {
            let remedy = "Write a placeholder as {name}. Escape a literal brace as %7B or %7D"
            problems.append(("a brace is not matched", remedy))
        }
        if problems.isEmpty { return nil }
        return HTTPError(
            .invalidPath(text), reason: problems.map(\.reason).joined(separator: ", and "),
            suggestion: problems.compactMap(\.suggestion).joined(separator: ". "))
    }

    private func bodyError(
        _ places: [ArgumentPlace], _ method: HTTPMethod, _ encoding: ParameterEncoding?
    ) -> HTTPError? {
        // With an explicit encoding, an endpoint may have fields in a GET: in the query, or in a body.
        if method == .get || method == .head, encoding == nil, places.contains(where: { $0 == .field || $0 == .part }) {
            return HTTPError(
                .encoding("the body"),
                reason: "\(text) declares fields or parts, but the body of a \(method) has no meaning",
                suggestion: "Declare .query(...), use another method, or set the encoding")
        }
        let bodies = places.count { $0 == .body }
        guard bodies > 1 || bodies == 1 && places.contains(where: { $0 == .field || $0 == .part }) else { return nil }
        return HTTPError(
            .encoding("the body"),
            reason: bodies > 1
                ? "\(text) declares \(bodies) bodies" : "\(text) declares a body as well as fields or parts",
            suggestion: "Keep one argument for the body. Declare parameters of the query with .query(...)")
    }

    /// Returns the path with its values. A value that is not a segment fails the request. Throws ``HTTPError`` of kind
    /// `invalidPath` for a value that is `nil`.
    func path(_ values: [String: ParameterValue]) throws(HTTPError) -> RoutePath {
        for name in placeholders {
            if let reason = values[name].map(Self.problem) ?? "nil" {
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
    private static func problem(of value: ParameterValue) -> String? {
        switch value.storage {
        case .omitted: "nil"
        case .null: "null"
        // It has a reason of its own.
        case .unwritable: nil
        default: value.text == nil ? "a file, a list or an object, which is not a single segment" : nil
        }
    }
}

/// The place of a value, for checking the declaration.
enum ArgumentPlace: Sendable, Hashable {
    case path(String)
    case query, field, part, header, body
}
