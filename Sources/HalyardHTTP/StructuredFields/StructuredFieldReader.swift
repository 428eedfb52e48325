import HalyardFoundation

/// Reads a structured field as RFC 9651 section 4.2 describes it.
struct StructuredFieldReader {
    /// Why a text is not a structured field.
    struct Failure: Error {
        let expected: String
        /// The number of bytes before the place.
        let offset: Int
    }

    private let text: String
    private var rest: Substring.UTF8View

    init(_ text: String) {
        self.text = text
        rest = text.utf8[...]
        skipSpaces()
    }

    mutating func item() throws(Failure) -> StructuredItem {
        let item = try popItem()
        try expectEnd()
        return item
    }

    mutating func list() throws(Failure) -> [StructuredMember] {
        var members: [StructuredMember] = []
        while !rest.isEmpty {
            members.append(try popMember())
            try popComma()
        }
        return members
    }

    mutating func dictionary() throws(Failure) -> StructuredDictionary {
        var members = StructuredDictionary()
        for count in 1... {
            if rest.isEmpty { break }
            guard count <= 1024 else { throw failure("a dictionary with at most 1024 members") }
            let name = try popKey()
            members[name] =
                rest.pop("=") ? try popMember() : .item(StructuredItem(.boolean(true), try popParameters()))
            try popComma()
        }
        return members
    }

    /// Removes the comma before another member, or the blanks at the end.
    private mutating func popComma() throws(Failure) {
        rest = rest.drop(while: \.isBlank)
        if rest.isEmpty { return }
        guard rest.pop(",") else { throw failure("a comma") }
        rest = rest.drop(while: \.isBlank)
        guard !rest.isEmpty else { throw failure("a member after the comma") }
    }

    private mutating func popMember() throws(Failure) -> StructuredMember {
        guard rest.pop("(") else { return .item(try popItem()) }
        var items: [StructuredItem] = []
        while true {
            let isSeparated = skipSpaces() || items.isEmpty
            if rest.pop(")") { return .innerList(items, try popParameters()) }
            guard isSeparated else { throw failure("a space or a parenthesis") }
            items.append(try popItem())
        }
    }

    private mutating func popItem() throws(Failure) -> StructuredItem {
        let value = try popValue()
        return StructuredItem(value, try popParameters())
    }

    private mutating func popParameters() throws(Failure) -> StructuredParameters {
        var parameters = StructuredParameters()
        for count in 1... {
            guard rest.pop(";") else { break }
            guard count <= 256 else { throw failure("a value with at most 256 parameters") }
            skipSpaces()
            let name = try popKey()
            parameters[name] = rest.pop("=") ? try popValue() : .boolean(true)
        }
        return parameters
    }

    private mutating func popKey() throws(Failure) -> String {
        let name = rest.prefix(while: ASCIISet.structuredKey.contains)
        guard let first = name.first, ASCIISet.structuredKeyStart.contains(first) else {
            throw failure("a name in lower case")
        }
        rest = rest[name.endIndex...]
        return String(Substring(name))
    }

    private mutating func popValue() throws(Failure) -> StructuredValue {
        switch rest.first {
        case UInt8(ascii: "\""): return .string(try popString())
        case UInt8(ascii: ":"): return .bytes(try popBytes())
        case UInt8(ascii: "?"):
            rest.removeFirst()
            if rest.pop("1") { return .boolean(true) }
            guard rest.pop("0") else { throw failure("0 or 1") }
            return .boolean(false)
        case UInt8(ascii: "@"):
            rest.removeFirst()
            guard case .integer(let seconds) = try popNumber() else { throw failure("whole seconds") }
            return .date(seconds)
        case UInt8(ascii: "%"): return .displayString(try popDisplayString())
        case let first? where first == UInt8(ascii: "-") || ASCIISet.digits.contains(first): return try popNumber()
        case let first? where ASCIISet.structuredTokenStart.contains(first):
            let token = rest.prefix(while: ASCIISet.structuredToken.contains)
            rest = rest[token.endIndex...]
            return .token(String(Substring(token)))
        default: throw failure("a value")
        }
    }

    private mutating func popNumber() throws(Failure) -> StructuredValue {
        let sign: Int64 = rest.pop("-") ? -1 : 1
        let whole = popDigits()
        guard !whole.isEmpty else { throw failure("a digit") }
        guard rest.first == UInt8(ascii: ".") else {
            guard whole.count <= 15, let number = Int64(digits: whole) else { throw failure("at most 15 digits") }
            return .integer(sign * number)
        }
        guard whole.count <= 12 else { throw failure("at most 12 digits before the point") }
        rest.removeFirst()
        let fraction = popDigits()
        guard 1...3 ~= fraction.count, let number = Double("\(whole).\(fraction)") else {
            throw failure("1 to 3 digits after the point")
        }
        return .decimal(Double(sign) * number)
    }

    private mutating func popDigits() -> Substring {
        let digits = rest.prefix(while: ASCIISet.digits.contains)
        rest = rest[digits.endIndex...]
        return Substring(digits)
    }

    private mutating func popString() throws(Failure) -> String {
        var bytes: [UInt8] = []
        rest.removeFirst()
        while let byte = rest.first {
            guard 0x20...0x7E ~= byte else { throw failure("printable ASCII") }
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.first, [UInt8(ascii: "\""), UInt8(ascii: "\\")].contains(escaped) else {
                    throw failure("a quote or a backslash after the backslash")
                }
                rest.removeFirst()
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        throw failure("a quote at the end of the string")
    }

    private mutating func popBytes() throws(Failure) -> Data {
        rest.removeFirst()
        let text = rest.prefix { $0 != UInt8(ascii: ":") }
        let digits = text.prefix(while: ASCIISet.base64.contains)
        // Padding may be missing.
        let padding = String(repeating: "=", count: (4 - digits.count % 4) % 4)
        let end = text[digits.endIndex...]
        guard end.isEmpty || end.elementsEqual(padding.utf8),
            let bytes = Data(base64Encoded: String(Substring(digits)) + padding)
        else { throw failure("base64") }
        rest = rest[text.endIndex...]
        guard rest.pop(":") else { throw failure("a colon at the end of the bytes") }
        return bytes
    }

    private mutating func popDisplayString() throws(Failure) -> String {
        var bytes: [UInt8] = []
        guard rest.pop(text: "%\"") else { throw failure("a quote after the percent sign") }
        while let byte = rest.first {
            guard 0x20...0x7E ~= byte else { throw failure("printable ASCII") }
            rest.removeFirst()
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(utf8: bytes) else { throw failure("UTF-8 in the display string") }
                return text
            case UInt8(ascii: "%"):
                guard let value = rest.hexValue(ofFirst: 2),
                    !rest.prefix(2).contains(where: ASCIISet.upperCase.contains)
                else { throw failure("two hexadecimal digits in lower case") }
                rest = rest.dropFirst(2)
                bytes.append(UInt8(value))
            default: bytes.append(byte)
            }
        }
        throw failure("a quote at the end of the display string")
    }

    /// Removes spaces from the start. Returns whether there was one.
    @discardableResult private mutating func skipSpaces() -> Bool {
        let spaces = rest.prefix { $0 == UInt8(ascii: " ") }
        rest = rest[spaces.endIndex...]
        return !spaces.isEmpty
    }

    private mutating func expectEnd() throws(Failure) {
        skipSpaces()
        guard rest.isEmpty else { throw failure("the end of the field") }
    }

    private func failure(_ expected: String) -> Failure {
        Failure(expected: expected, offset: text.utf8.distance(from: text.startIndex, to: rest.startIndex))
    }
}

extension ASCIISet {
    private static let lowerCase = ASCIISet("abcdefghijklmnopqrstuvwxyz")
    static let structuredKeyStart = lowerCase.union(ASCIISet("*"))
    static let structuredKey = lowerCase.union(digits).union(ASCIISet("_-.*"))
    static let structuredTokenStart = lowerCase.union(upperCase).union(ASCIISet("*"))
    static let structuredToken = token.union(ASCIISet(":/"))
    static let base64 = alphanumerics.union(ASCIISet("+/"))
}
