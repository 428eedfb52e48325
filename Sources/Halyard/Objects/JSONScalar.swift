import HalyardFoundation

/// A type that is read from one word of a document, without a decoder, and written without an encoder.
protocol JSONScalar: Codable {
    /// Reads the value at an index, in the container at another one.
    ///
    /// - Throws: `DecodingError`, with the path of the value.
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Self

    /// Writes the value.
    ///
    /// - Throws: `EncodingError` for a number that is not finite.
    func write(to encoding: ObjectEncoding) throws
}

extension JSONScalar where Self: FixedWidthInteger {
    @inline(__always)
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Self {
        let word = document[index]
        guard word.isKind(.number) else { throw document.mismatch(Self.self, at: index, in: parent) }
        guard let value = document.integer(of: word, as: Self.self) else {
            throw document.misfit(Self.self, at: index, in: parent)
        }
        return value
    }

    @inline(__always)
    func write(to encoding: ObjectEncoding) { encoding.bytes.append(decimal: self) }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}

extension Double: JSONScalar {
    @inline(__always)
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Double {
        let word = document[index]
        guard word.isKind(.number) else { throw document.mismatch(Double.self, at: index, in: parent) }
        guard let value = document.double(of: word) else { throw document.misfit(Double.self, at: index, in: parent) }
        return value
    }

    func write(to encoding: ObjectEncoding) throws {
        guard isFinite else { throw encoding.notANumber(self) }
        encoding.bytes.append(number: description)
    }
}

extension Float: JSONScalar {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Float {
        let word = document[index]
        guard word.isKind(.number) else { throw document.mismatch(Float.self, at: index, in: parent) }
        guard let value = document.float(of: word) else { throw document.misfit(Float.self, at: index, in: parent) }
        return value
    }

    func write(to encoding: ObjectEncoding) throws {
        guard isFinite else { throw encoding.notANumber(self) }
        encoding.bytes.append(number: description)
    }
}

extension Bool: JSONScalar {
    @inline(__always)
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Bool {
        let word = document[index]
        if word.isKind(.yes) { return true }
        guard word.isKind(.no) else { throw document.mismatch(Bool.self, at: index, in: parent) }
        return false
    }

    @inline(__always)
    func write(to encoding: ObjectEncoding) { encoding.write(ascii: self ? "true" : "false") }
}

extension String: JSONScalar {
    @inline(__always)
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> String {
        let word = document[index]
        guard word.isKind(.string) else { throw document.mismatch(String.self, at: index, in: parent) }
        return document.string(of: word)
    }

    @inline(__always)
    func write(to encoding: ObjectEncoding) { encoding.bytes.appendQuoted(self) }
}

extension JSONDocument {
    /// Returns the error for a value of another kind. The words are those of Foundation's `JSONDecoder`.
    @inline(never)
    func mismatch(_ type: Any.Type, at index: Int, in parent: Int) -> DecodingError {
        let (path, word) = (path(of: index, in: parent), self[index])
        guard word.isKind(.null), type != Bool.self else {
            let message = "Expected to decode \(type) but found \(word.kindName) instead."
            return .typeMismatch(type, .init(codingPath: path, debugDescription: message))
        }
        let message = "Cannot get value of type \(type) -- found null value instead"
        return .valueNotFound(type, .init(codingPath: path, debugDescription: message))
    }

    /// Returns the error for a number that a type cannot hold.
    @inline(never)
    func misfit(_ type: Any.Type, at index: Int, in parent: Int) -> DecodingError {
        let message = "the number \(text(ofNumber: self[index]).prefix(40)) does not fit \(type)"
        return .dataCorrupted(.init(codingPath: path(of: index, in: parent), debugDescription: message))
    }

    /// Returns the error for a string without the form that a type needs.
    func invalid(_ message: String, at index: Int, in parent: Int, cause: (any Error)? = nil) -> DecodingError {
        .dataCorrupted(
            .init(codingPath: path(of: index, in: parent), debugDescription: message, underlyingError: cause))
    }

    /// Returns the error for a member that is missing.
    @inline(never)
    func keyNotFound<Key: CodingKey>(_ key: Key, inObjectAt object: Int) -> DecodingError {
        let path = path(of: object, in: parent(ofContainerAt: object))
        let message = "No value associated with key \(key) (\"\(key.stringValue)\")."
        // The error names the member as it is in JSON.
        let isConverted = coding.isSnakeCase && types.kind(of: Key.self) != .verbatim
        let missing: any CodingKey = isConverted ? PathKey(name: SnakeCase.name(of: key.stringValue)) : key
        return .keyNotFound(missing, .init(codingPath: path, debugDescription: message))
    }

    /// Returns the error for a container of another kind.
    @inline(never)
    func notAContainer(_ kind: JSONWord.Kind, at index: Int, in parent: Int) -> DecodingError {
        let (type, name): (Any.Type, String) =
            kind == .object ? ([String: Any].self, "keyed") : ([Any].self, "unkeyed")
        let path = path(of: index, in: parent)
        guard !self[index].isKind(.null) else {
            let message = "Cannot get \(name) decoding container -- found null value instead"
            return .valueNotFound(type, .init(codingPath: path, debugDescription: message))
        }
        let message = "Expected to decode \(type) but found \(self[index].kindName) instead."
        return .typeMismatch(type, .init(codingPath: path, debugDescription: message))
    }
}
