/// Lines of Swift, indented by blocks.
struct SwiftText {
    /// The number of columns that code has at most, where it can be wrapped.
    static let width = 100

    private(set) var text = ""
    private var indentation = 0

    /// Writes a line, or each line of a list of several.
    mutating func line(_ line: String = "") {
        for line in line.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if !line.isEmpty {
                for _ in 0..<indentation { text += "    " }
                text += Substring(line)
            }
            text += "\n"
        }
    }

    /// A list in brackets: in one line, or in several if it is long.
    static func list(_ items: [String]) -> String {
        let whole = "[" + items.joined(separator: ", ") + "]"
        if whole.count < 60, !whole.contains("\n") { return whole }
        return "[\n" + items.map { "    \($0.replacing("\n", with: "\n    ")),\n" }.joined() + "]"
    }

    mutating func block(_ head: String, _ tail: String = "}", _ body: (inout SwiftText) -> Void) {
        line(head)
        indented(body)
        line(tail)
    }

    mutating func indented(_ body: (inout SwiftText) -> Void) {
        indentation += 1
        body(&self)
        indentation -= 1
    }

    /// Writes a head with items in parentheses: in one line if it fits, or else with a line for each item.
    mutating func list(_ head: String, _ items: [String], _ tail: String) {
        let whole = head + items.joined(separator: ", ") + tail
        if whole.count + indentation * 4 <= Self.width, !whole.contains("\n") { return line(whole) }
        line(head)
        indentation += 1
        for (index, item) in items.enumerated() { line(item + (index + 1 < items.count ? "," : "")) }
        indentation -= 1
        line(tail)
    }

    /// Writes a list like ``list(_:_:_:)``, and calls of methods of its value: in the same line if all fit.
    mutating func chain(_ head: String, _ items: [String], _ tail: String, _ calls: [String]) {
        let whole = head + items.joined(separator: ", ") + tail
        let columns = whole.contains("\n") ? Self.width + 1 : whole.count + indentation * 4
        if columns + calls.joined().count <= Self.width { return line(whole + calls.joined()) }
        list(head, items, tail)
        let isInOneLine = columns <= Self.width
        if isInOneLine { indentation += 1 }
        for call in calls { line(call) }
        if isInOneLine { indentation -= 1 }
    }

    /// Writes a documentation comment, wrapped. Nothing for an empty text.
    mutating func comment(_ text: String?) {
        guard var text else { return }
        // A comment cannot have signs that the compiler does not take, such as NUL.
        if text.utf8.contains(where: \.isControl) {
            text = String(decoding: text.utf8.map { $0.isControl ? UInt8(ascii: " ") : $0 }, as: UTF8.self)
        }
        let lines = text.lines.map { $0.trimmed }
        let last = lines.lastIndex { !$0.isEmpty } ?? -1
        var isEmpty = true
        for (index, whole) in lines.enumerated().prefix(last + 1) {
            if whole.isEmpty {
                if !isEmpty, lines[index - 1] != "" { line("///") }
                continue
            }
            isEmpty = false
            var (current, columns) = ("///", 3 + indentation * 4)
            for word in whole.utf8.split(separator: UInt8(ascii: " ")).map(Substring.init) {
                let count = (word.utf8.allSatisfy { $0 < 128 } ? word.utf8.count : word.count) + 1
                if current.utf8.count > 3, columns + count > Self.width {
                    line(current)
                    (current, columns) = ("///", 3 + indentation * 4)
                }
                current += " " + word
                columns += count
            }
            line(current)
        }
    }
}

extension UInt8 {
    /// Whether the byte is a sign without meaning in a text.
    fileprivate var isControl: Bool { self < 32 && !(9...13).contains(self) || self == 127 }
}

extension String {
    /// The lines of the text. Those of ASCII are found in bytes, because characters are slow.
    fileprivate var lines: [Substring] {
        guard utf8.allSatisfy({ $0 < 128 && $0 != UInt8(ascii: "\r") }) else {
            return split(omittingEmptySubsequences: false) { $0.isNewline }
        }
        return utf8.split(omittingEmptySubsequences: false) { (10...12).contains($0) }.map(Substring.init)
    }
}

extension Substring {
    /// The text without spaces and tabs at its ends. It works on bytes, because a document has a million of them.
    var trimmed: Substring {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let start = utf8.drop(while: isSpace)
        guard let last = start.lastIndex(where: { !isSpace($0) }) else { return "" }
        return Substring(start[...last])
    }
}

extension String {
    /// The text as a literal of Swift.
    var literal: String {
        var text = ""
        for character in unicodeScalars {
            switch character {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where character.value < 32 || character.value == 127:
                text += "\\u{\(String(character.value, radix: 16))}"
            default: text.unicodeScalars.append(character)
            }
        }
        return "\"\(text)\""
    }
}

extension Plan.TypeName {
    /// The type in code.
    var code: String { code(within: "") }

    /// The type in the code of a model, whose own models need no path.
    func code(within scope: String) -> String {
        switch self {
        case .plain(let name): name
        case .model(let path):
            (path.hasPrefix(scope + ".") ? path.dropFirst(scope.count + 1) : path[...])
                .split(separator: ".").map { Names.escaped(String($0)) }.joined(separator: ".")
        case .array(let element): "[\(element.code(within: scope))]"
        case .dictionary(let value): "[String: \(value.code(within: scope))]"
        case .optional(let type): "\(type.unwrapped.code(within: scope))?"
        }
    }

    var isOptional: Bool { if case .optional = self { true } else { false } }
}
