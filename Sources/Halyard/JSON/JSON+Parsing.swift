public import HalyardFoundation

extension JSON {
    /// Parses one JSON value of any kind from UTF-8, strictly by RFC 8259. The text has at most 4 GiB.
    ///
    /// A byte order mark at the start is skipped. Comments, trailing commas, leading zeros, lone surrogates, invalid
    /// UTF-8, unescaped control characters, and anything but blanks after the value are errors.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8: a `Data`, a `[UInt8]`, or any sequence of bytes.
    ///   - maximumDepth: The maximum number of nested arrays and objects. Defaults to 512, which is also the largest
    ///     possible value: writing and releasing a value take stack for each level, and some threads have only 512 KB.
    /// - Throws: ``ParseError`` with line and column. ``ParseError/emptyInput`` if there are no bytes.
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
    /// - Parameter maximumDepth: The maximum number of nested arrays and objects. Defaults to 512, which is also the largest
    ///   possible value.
    /// - Throws: ``ParseError`` with line and column. ``ParseError/emptyInput`` if the text is empty.
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
            let scanner = JSONScanner(
                bytes, from: bytes.markLength, notesCapitals: false, maximumDepth: maximumDepth)
            let (words, count) = try scanner.scan()
            let tape = JSONTape(bytes, words: words, count: count)
            if ignoresCancellation { tape.ignoreCancellation() }
            return try tape.json(at: 0)
        } catch let problem as JSONScanner.Problem { throw ParseError(problem, in: bytes) } catch { throw .cancelled }
    }

    /// It is unavailable: bytes are parsed by ``init(parsing:maximumDepth:)-(Sequence)``.
    @available(*, unavailable, message: "write try JSON(parsing: data)")
    public init(_ data: Data) { self = .null }
}
