/// An array, or a dictionary with strings as keys, which are the names in the JSON and are not converted. Their elements
/// are read without a container of the decoder.
protocol JSONContainer {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Self
}

extension Array: JSONContainer where Element: Decodable {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> [Element] {
        guard document[index].isKind(.array) else { throw document.notAContainer(.array, at: index, in: parent) }
        @inline(__always)
        func scalars<Value: JSONScalar>(_ type: Value.Type) throws -> [Element] {
            identical(
                try document.elements(ofArrayAt: index) { try Value.read(from: document, at: $0, in: index) },
                as: [Element].self)
        }
        return switch document.types.kind(of: Element.self) {
        case .own:
            try document.elements(ofArrayAt: index) { try Element(from: JSONValueDecoder(document, $0, index)) }
        case .string: try scalars(String.self)
        case .int: try scalars(Int.self)
        case .double: try scalars(Double.self)
        case .bool: try scalars(Bool.self)
        default: try document.elements(ofArrayAt: index) { try document.decode(Element.self, at: $0, in: index) }
        }
    }
}

extension Dictionary: JSONContainer where Key == String, Value: Decodable {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> [String: Value] {
        let word = document[index]
        guard word.isKind(.object) else { throw document.notAContainer(.object, at: index, in: parent) }
        var members: [String: Value] = Dictionary(minimumCapacity: Swift.min(document.count(at: index), 1024))
        var position = index + 2
        while position < word.place {
            try document.checkCancellation()
            let name = document.string(of: document[position])
            let value = position + 1
            position = document.next(after: value)
            // The first of several members with the same name counts, as in `JSONDecoder`.
            if word.has(JSONWord.needsIndex), members[name] != nil { continue }
            members[name] = try document.decode(Value.self, at: value, in: index)
        }
        return members
    }
}

extension JSONDocument {
    @inline(__always)
    func elements<Element>(ofArrayAt index: Int, _ read: (Int) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        // Not more than 64 kB at first, because the elements of hostile JSON can be much smaller than those of the type.
        elements.reserveCapacity(min(self[index].length, 65_536 / max(MemoryLayout<Element>.stride, 1)))
        try readElements(ofArrayAt: index) { elements.append(try read($0)) }
        return elements
    }

    /// Calls a closure with the index of each element of an array.
    @inline(__always)
    func readElements(ofArrayAt index: Int, _ read: (Int) throws -> Void) throws {
        let word = self[index]
        var position = index + 2
        while position < word.place {
            try checkCancellation()
            try read(position)
            position = next(after: position)
        }
    }
}
