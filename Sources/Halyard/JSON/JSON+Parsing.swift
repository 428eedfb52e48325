public import HalyardFoundation

extension JSON {
    /// Parses one JSON value of any kind from UTF-8, strictly by RFC 8259.
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
            var reader = JSONReader(buffer, maximumDepth: Swift.min(maximumDepth, 512))
            return Result { () throws(ParseError) in try reader.readDocument() }
        }
        let result = bytes.withContiguousStorageIfAvailable(read) ?? Array(bytes).withUnsafeBufferPointer(read)
        self = try result.get()
    }

    /// Parses one JSON value from a string, by the same rules.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - maximumDepth: The maximum number of nested arrays and objects. Defaults to 512, which is also the largest
    ///     possible value.
    /// - Throws: ``ParseError`` with line and column. ``ParseError/emptyInput`` if the text is empty.
    public init(parsing text: some StringProtocol, maximumDepth: Int = 512) throws(ParseError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }

    /// Parses bytes by the same rules, and throws ``ParseError/cancelled`` soon after the task is cancelled.
    package init(untilCancelled data: Data) throws(ParseError) {
        let result = data.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { bytes in
                var reader = JSONReader(bytes, maximumDepth: 512, stopsWhenCancelled: true)
                return Result { () throws(ParseError) in try reader.readDocument() }
            }
        }
        self = try result.get()
    }

    /// It is unavailable: bytes are parsed by ``init(parsing:maximumDepth:)-(Sequence)``.
    @available(*, unavailable, message: "write try JSON(parsing: data)")
    public init(_ data: Data) { self = .null }
}
