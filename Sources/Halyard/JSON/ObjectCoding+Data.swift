import HalyardFoundation

extension ObjectCoding {
    /// Reads a value from JSON; a list from a length in bytes on in parts. Throws `DecodingError`, `JSONPath.Missing`,
    /// and what `JSONDocument.decode(_:at:in:)` throws.
    func decode<T: Decodable>(
        _ type: T.Type, from data: Data, at path: JSONPath = .whole, partedFrom: Int = JSONParts.minimumLength,
        partLimit: Int = JSONParts.limit
    ) throws -> sending T {
        // The value is made of bytes and this coding, which is Sendable. Nothing else has a reference to it. The closure
        // of Foundation's function cannot say so.
        nonisolated(unsafe) let value = try data.withUnsafeBytes { raw in
            let bytes = JSONBytes(raw.bindMemory(to: UInt8.self))
            do {
                if path.isWhole, bytes.count >= partedFrom, let parts = JSONParts(bytes, self, limit: partLimit),
                    let list = type as? any JSONList.Type
                {
                    return try Self.read(list, as: type, from: parts)
                }
                var document = try JSONDocument(bytes, self)
                // A value may have kept its decoder, which then needs bytes of its own.
                defer { if !isKnownUniquelyReferenced(&document) { document.keepBytes() } }
                guard !path.isWhole else { return try document.decode(type, at: 0, in: JSONWord.noParent) }
                let (index, parent) = try path.place(in: document)
                document.root = index
                return try document.decode(type, at: index, in: parent)
            } catch let problem as JSONScanner.Problem {
                let (message, reason) = ("The given data was not valid JSON.", JSON.ParseError(problem, in: bytes))
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: message, underlyingError: reason))
            }
        }
        return value
    }

    private static func read<T>(_ list: (some JSONList).Type, as type: T.Type, from parts: JSONParts) throws -> T {
        identical(try list.read(from: parts), as: type)
    }

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
    /// Writes a value only to count its levels, for an encoder that recurses before it checks the depth. Throws
    /// `EncodingError` for a value that is nested too deep. Other errors are left to that encoder.
    static func checkDepth(of value: some Encodable, userInfo: [CodingUserInfoKey: any Sendable]) throws {
        let coding = ObjectCoding(dates: .secondsSince1970, userInfo: userInfo, countsOnly: true)
        do { try ObjectEncoding(coding).write(value) } catch let error as EncodingError {
            guard case .invalidValue(_, let context) = error else { return }
            if context.debugDescription == ObjectEncoding.tooDeepMessage { throw error }
        } catch {}
    }
}
