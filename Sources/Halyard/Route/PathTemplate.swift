import HalyardHTTP

/// A path with names in braces, as an endpoint declares it and a stub matches it: `/users/{id}`, `/files/{name}.json`.
package struct PathTemplate: Sendable {
    package enum Piece: Hashable, Sendable {
        case literal(String)
        case placeholder(String)
    }

    package let text: String
    package let pieces: [Piece]

    package init(_ text: String) {
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

    /// Makes a template that is one path, with braces as they are.
    package init(literal path: String) {
        text = path
        pieces = path.isEmpty ? [] : [.literal(path)]
    }

    package var placeholders: [String] {
        pieces.compactMap { if case .placeholder(let name) = $0 { name } else { nil } }
    }

    /// Returns the values of the placeholders in a path, percent-decoded. `nil` if it does not match.
    ///
    /// Literals are compared in percent-encoded form. A placeholder matches at least one character, as few as possible,
    /// up to the end of its segment.
    package func match(_ path: some StringProtocol) -> [String: String]? {
        Self.match(pieces[...], Substring(path).utf8[...])
    }

    private static func match(_ pieces: ArraySlice<Piece>, _ path: Substring.UTF8View) -> [String: String]? {
        guard let piece = pieces.first else { return path.isEmpty ? [:] : nil }
        let rest = pieces.dropFirst()
        switch piece {
        case .literal(let text):
            guard path.starts(with: text.utf8) else { return nil }
            return match(rest, path.dropFirst(text.utf8.count))
        case .placeholder(let name):
            var end = path.startIndex
            while end < path.endIndex, path[end] != UInt8(ascii: "/") {
                path.formIndex(after: &end)
                if rest.isEmpty, end < path.endIndex { continue }
                guard var values = match(rest, path[end...]) else { continue }
                values[name] = String(decoding: path[..<end].percentDecoded(), as: UTF8.self)
                return values
            }
            return nil
        }
    }
}
