import HalyardFoundation

extension ObjectCoding {
    /// Reads a value from JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The text.
    ///   - partedFrom: The length in bytes from which a list is read in parts.
    ///   - partLimit: The number of words of a part.
    /// - Throws: `DecodingError`, and what `JSONDocument.decode(_:at:in:)` throws.
    func decode<T: Decodable>(
        _ type: T.Type, from data: Data, partedFrom: Int = JSONParts.minimumLength, partLimit: Int = JSONParts.limit
    ) throws -> sending T {
        // The value is made of bytes and this coding, which is Sendable. Nothing else has a reference to it. The closure
        // of Foundation's function cannot say so.
        nonisolated(unsafe) let value = try data.withUnsafeBytes { raw in
            guard raw.count <= JSONScanner.maximumLength else { throw Self.notJSON(TextTooLong()) }
            let bytes = JSONBytes(raw.bindMemory(to: UInt8.self))
            if bytes.count >= partedFrom, let parts = JSONParts(bytes, self, limit: partLimit),
                let list = type as? any JSONList.Type
            {
                do { return try Self.read(list, as: type, from: parts) } catch is JSONParts.NotJSON {
                    throw Self.notJSON(Self.reason(data))
                }
            }
            guard var document = JSONDocument(bytes, self) else { throw Self.notJSON(Self.reason(data)) }
            // A value may have kept its decoder, which then needs bytes of its own.
            defer { if !isKnownUniquelyReferenced(&document) { document.keepBytes() } }
            return try document.decode(type, at: 0, in: JSONWord.noParent)
        }
        return value
    }

    private static func read<T>(_ list: (some JSONList).Type, as type: T.Type, from parts: JSONParts) throws -> T {
        identical(try list.read(from: parts), as: type)
    }

    /// Writes a value as JSON.
    ///
    /// - Throws: `EncodingError`, or an error of the value's `encode(to:)`.
    func encode<T: Encodable>(_ value: T) throws -> Data {
        let encoding = ObjectEncoding(self)
        try encoding.write(value)
        if encoding.bytes.count == 0 {
            let message = "Top-level \(T.self) did not encode any values."
            throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: message))
        }
        try encoding.finish()
        return encoding.bytes.data
    }

    private static func notJSON(_ reason: any Error) -> DecodingError {
        .dataCorrupted(
            .init(
                codingPath: [], debugDescription: "The given data was not valid JSON.", underlyingError: reason))
    }

    private static func reason(_ data: Data) -> any Error {
        do {
            _ = try JSON(untilCancelled: data)
            return NoReason()
        } catch {
            return error
        }
    }

    /// The error for a text that is longer than the decoder can read.
    private struct TextTooLong: Error, CustomStringConvertible {
        var description: String { "the text is longer than \(JSONScanner.maximumLength) bytes" }
    }

    /// The error for a text that only one of the two parsers accepts, which would be a defect.
    private struct NoReason: Error {}
}
