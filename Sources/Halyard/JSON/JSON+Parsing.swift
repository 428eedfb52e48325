public import HalyardFoundation

extension JSON {
    /// Parses one JSON value of any kind from at most 4 GiB of UTF-8, strictly by RFC 8259.
    ///
    /// A byte order mark at the start is skipped. Comments, trailing commas, leading zeros, lone surrogates, invalid
    /// UTF-8, unescaped control characters, and anything but whitespace after the value are errors.
    ///
    /// - Parameter maximumDepth: The maximum nesting depth of arrays and objects. Defaults to 512, which is also the
    ///   upper limit: writing or releasing a value uses stack space for each level, and some threads have only 512 KB
    ///   of stack.
    /// - Throws: ``ParseError`` with the line and column; ``ParseError/emptyInput`` if there are no bytes.
    public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 512) throws(ParseError) {
        let read = { (buffer: UnsafeBufferPointer<UInt8>) -> Result<JSON, ParseError> in
            Result { () throws(ParseError) in
                try Self.read(JSONBytes(buffer), maximumDepth: maximumDepth, ignoresCancellation: true)
            }
        }
        let result = bytes.withContiguousStorageIfAvailable(read) ?? Array(bytes).withUnsafeBufferPointer(read)
        self = try result.get()
    }

    /// Parses one JSON value from a string, by the same rules.
    ///
    /// - Throws: ``ParseError`` with the line and column; ``ParseError/emptyInput`` if the text is empty.
    public init(parsing text: some StringProtocol, maximumDepth: Int = 512) throws(ParseError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }

    /// Parses bytes by the same rules, and throws ``ParseError/cancelled`` soon after the task is cancelled.
    package init(untilCancelled data: Data) throws(ParseError) {
        let result = data.withUnsafeBytes { bytes in
            Result { () throws(ParseError) in try Self.read(JSONBytes(bytes.bindMemory(to: UInt8.self))) }
        }
        self = try result.get()
    }

    private static func read(
        _ bytes: JSONBytes, maximumDepth: Int = JSONScanner.maximumDepth, ignoresCancellation: Bool = false
    ) throws(ParseError) -> JSON {
        do {
            let document = try JSONDocument(bytes, .plain, maximumDepth: maximumDepth)
            if ignoresCancellation { document.ignoreCancellation() }
            return try document.json(at: 0)
        } catch let problem as JSONScanner.Problem { throw ParseError(problem, in: bytes) } catch { throw .cancelled }
    }

    /// Unavailable. Use ``init(parsing:maximumDepth:)-(Sequence)`` to parse bytes.
    @available(*, unavailable, message: "write try JSON(parsing: data)")
    public init(_ data: Data) { self = .null }
}

extension JSON {
    /// An error that says why a text is not JSON, and where.
    ///
    /// It is safe to log, because it contains at most one character of the input.
    public struct ParseError: Error, Equatable, Sendable {
        /// The line of the error, counted from 1. A line ends with a line feed.
        public let line: Int

        /// The column of the error, counted from 1 in Unicode scalars.
        public let column: Int

        /// The expected and the actual text, in words.
        public let reason: String

        /// The error for empty input, such as an empty response body.
        public static let emptyInput = ParseError(line: 1, column: 1, reason: "the input is empty")

        /// The task was cancelled. Only reading a response ends with this error.
        static let cancelled = ParseError(line: 0, column: 0, reason: "the task was cancelled")
    }
}

extension JSON.ParseError: CustomStringConvertible {
    /// The position and the reason, such as `Not JSON at line 3, column 14: expected a value, found "x"`.
    public var description: String {
        self == .emptyInput ? "Not JSON: \(reason)" : "Not JSON at line \(line), column \(column): \(reason)"
    }
}

extension JSON.ParseError: LocalizedError {
    /// The same text as ``description``. It is not localized.
    public var errorDescription: String? { description }
}

extension JSONScanner {
    /// Why a text is not JSON, and the position of the byte. `JSON.ParseError` says it in words.
    struct Problem: Error {
        enum Kind {
            case expected(StaticString)
            case otherWord(StaticString)
            case broken(StaticString)
            case controlCharacter, invalidUTF8, loneSurrogate
            case tooDeep(Int)
            case tooLong, empty
        }

        let kind: Kind
        var offset: Int
    }
}

extension JSON.ParseError {
    /// Says in words why a text is not JSON. Line and column are counted only now.
    init(_ problem: JSONScanner.Problem, in text: JSONBytes) {
        guard case .empty = problem.kind else {
            let bytes = text.buffer(at: 0, count: text.count)
            let before = bytes[text.markLength..<problem.offset]
            let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
            line = before.count { $0 == UInt8(ascii: "\n") } + 1
            // Continuation bytes of UTF-8 do not begin a character.
            column = before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1
            reason = Self.reason(problem.kind, bytes[problem.offset...])
            return
        }
        self = .emptyInput
    }

    /// - Parameter rest: The bytes from that of the problem on.
    private static func reason(_ kind: JSONScanner.Problem.Kind, _ rest: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        switch kind {
        case .expected(let expected): "expected \(expected), found \(next(in: rest))"
        case .otherWord(let word): "expected \(word), found another word"
        case .broken(let reason): "\(reason)"
        case .controlCharacter:
            "\(rest.first.map(describe) ?? "") in a string must be written as an escape, such as \\n or \\u0000"
        case .invalidUTF8:
            "invalid UTF-8 in a string, at the byte \(hexadecimal(rest.first ?? 0, digits: 2, prefix: "0x"))"
        case .loneSurrogate:
            "\\u\(String(decoding: rest.dropFirst(2).prefix(4), as: UTF8.self).uppercased()) is half of a surrogate pair, "
                + "and the other half is missing"
        case .tooDeep(let limit): "arrays and objects are nested deeper than \(limit) levels"
        case .tooLong: "the text is longer than \(JSONScanner.maximumLength) bytes"
        case .empty: emptyInput.reason
        }
    }

    /// Returns the next character, or a description if printing it would be confusing or harmful.
    private static func next(in rest: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        guard let byte = rest.first else { return "the end of the input" }
        guard byte >= 0x80 else { return describe(byte) }
        var decoder = UTF8()
        var bytes = rest.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&bytes) else {
            let hint = byte >= 0xFE ? " (is this UTF-16? JSON is UTF-8)" : ""
            return "the byte \(hexadecimal(byte, digits: 2, prefix: "0x"))\(hint)"
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator, .spaceSeparator,
            .nonspacingMark, .enclosingMark, .spacingMark:
            return "the character \(hexadecimal(scalar.value, digits: 4, prefix: "U+"))"
        default: return "\"\(scalar)\""
        }
    }

    /// Returns an ASCII character.
    private static func describe(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): "a line break"
        case UInt8(ascii: "\t"): "a tab"
        case UInt8(ascii: "\""): "a double quote"
        case UInt8(ascii: "'"): "a single quote (JSON has double quotes only)"
        case UInt8(ascii: "/"): "\"/\" (JSON has no comments)"
        case 0: "a NUL byte (is this UTF-16? JSON is UTF-8)"
        case ..<0x20, 0x7F: "the control character \(hexadecimal(byte, digits: 4, prefix: "U+"))"
        default: "\"\(Unicode.Scalar(byte))\""
        }
    }

    private static func hexadecimal(_ value: some BinaryInteger, digits: Int, prefix: String) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
