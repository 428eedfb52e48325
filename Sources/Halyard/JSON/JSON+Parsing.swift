extension JSON {
    /// Reads one JSON value from UTF-8, strictly by RFC 8259: a `Data`, a `[UInt8]`, any sequence of bytes.
    ///
    /// Any kind of value may stand alone, and a byte order mark at the start is skipped. Comments, trailing commas,
    /// leading zeros, lone surrogates, invalid UTF-8, unescaped control characters and anything but blanks after the
    /// value are errors.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - maximumDepth: How many arrays and objects may stand in one another. Whatever is given, it is 512 at most,
    ///     as writing and releasing a value take stack for each level, and some threads have only 512 KB.
    /// - Throws: ``ParseError`` with line and column; ``ParseError/emptyInput`` when there are no bytes at all.
    public init(parsing bytes: some Sequence<UInt8>, maximumDepth: Int = 512) throws(ParseError) {
        let read = { (buffer: UnsafeBufferPointer<UInt8>) -> Result<JSON, ParseError> in
            var reader = JSONReader(buffer, maximumDepth: Swift.min(maximumDepth, 512))
            return Result { () throws(ParseError) in try reader.readDocument() }
        }
        let result = bytes.withContiguousStorageIfAvailable(read) ?? Array(bytes).withUnsafeBufferPointer(read)
        self = try result.get()
    }

    /// Reads one JSON value from a string; the rules are those for bytes.
    ///
    /// - Throws: ``ParseError`` with line and column; ``ParseError/emptyInput`` when the text is empty.
    public init(parsing text: some StringProtocol, maximumDepth: Int = 512) throws(ParseError) {
        try self.init(parsing: text.utf8, maximumDepth: maximumDepth)
    }
}
