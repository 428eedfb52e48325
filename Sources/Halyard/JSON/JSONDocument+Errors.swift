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
        let isConverted = coding.isSnakeCase && !types.isVerbatim(Key.self)
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
