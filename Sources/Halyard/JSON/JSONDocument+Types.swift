import HalyardFoundation

extension JSONReadable {
    static func readElements(from document: JSONDocument, ofArrayAt index: Int) throws -> [Self] {
        try document.elements(ofArrayAt: index) { try read(from: document, at: $0, in: index) }
    }
}

extension JSONDocument {
    /// - Throws: `DecodingError`; `CancellationError` if the task was cancelled; errors of the type's `init(from:)`.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type, at index: Int, in parent: Int) throws -> T {
        guard case .known(let reader) = types.kind(of: type) else {
            return try T(from: JSONValueDecoder(self, index, parent))
        }
        return try read(reader, as: type, at: index, in: parent)
    }

    @inline(never)
    private func read<Known: JSONReadable, T>(
        _ known: Known.Type, as type: T.Type, at index: Int, in parent: Int
    ) throws -> T {
        identical(try known.read(from: self, at: index, in: parent), as: type)
    }

    @inline(__always)
    fileprivate func elements<Element>(ofArrayAt index: Int, _ read: (Int) throws -> Element) throws -> [Element] {
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

extension Array: JSONReadable where Element: Decodable {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> [Element] {
        guard document[index].isKind(.array) else { throw document.notAContainer(.array, at: index, in: parent) }
        func elements<Known: JSONReadable>(_ known: Known.Type) throws -> [Element] {
            identical(try known.readElements(from: document, ofArrayAt: index), as: [Element].self)
        }
        if case .known(let reader) = document.types.kind(of: Element.self) { return try elements(reader) }
        return try document.elements(ofArrayAt: index) { try Element(from: JSONValueDecoder(document, $0, index)) }
    }
}

/// The keys are the names in the JSON, and are not converted.
extension Dictionary: JSONReadable where Key == String, Value: Decodable {
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
    fileprivate func number<Value: JSONReadable>(
        at index: Int, in parent: Int, _ read: (JSONWord) -> Value?
    ) throws -> Value {
        let word = self[index]
        guard word.isKind(.number) else { return try numberInText(at: index, in: parent) }
        guard let value = read(word) else { throw misfit(Value.self, at: index, in: parent) }
        return value
    }

    /// Reads a number that is written as text, if the mapper allows it.
    @inline(never)
    private func numberInText<Value: JSONReadable>(at index: Int, in parent: Int) throws -> Value {
        guard coding.readsTextAsNumber, self[index].isKind(.string) else {
            throw mismatch(Value.self, at: index, in: parent)
        }
        let text = string(of: self[index])
        if let number = JSON.Number(text: text),
            let value = try? ObjectCoding.plain.decode(Value.self, from: JSON.number(number).encoded())
        {
            return value
        }
        throw invalid("\"\(text.prefix(40))\" is not a number that fits \(Value.self)", at: index, in: parent)
    }
}

extension JSONReadable where Self: FixedWidthInteger {
    @inline(__always)
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Self {
        try document.number(at: index, in: parent) { document.integer(of: $0, as: Self.self) }
    }
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
        try document.number(at: index, in: parent) { document.double(of: $0) }
    }
}

extension Float: JSONScalar {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Float {
        try document.number(at: index, in: parent) { document.longNumber(of: $0) }
    }
}

extension Decimal: JSONScalar {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Decimal {
        try document.number(at: index, in: parent) { Decimal(string: document.text(ofNumber: $0), locale: nil) }
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
}

extension String: JSONScalar {
    @inline(__always)
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> String {
        let word = document[index]
        guard word.isKind(.string) else { throw document.mismatch(String.self, at: index, in: parent) }
        return document.string(of: word)
    }
}

extension Data: JSONScalar {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Data {
        let text = try document.text(for: Data.self, at: index, in: parent)
        if let data = Data(base64Encoded: text) { return data }
        throw document.invalid("Encountered Data is not valid Base64.", at: index, in: parent)
    }
}

extension URL: JSONScalar {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> URL {
        if let url = URL(string: try document.text(for: URL.self, at: index, in: parent)) { return url }
        throw document.invalid("Invalid URL string.", at: index, in: parent)
    }
}

extension JSON: JSONScalar {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> JSON {
        try document.json(at: index)
    }
}

extension Date: JSONScalar {
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Date {
        switch document.coding.dates.kind {
        case .automatic where document[index].isKind(.number), .milliseconds:
            Date(timeIntervalSince1970: try document.seconds(at: index, in: parent) / 1000)
        case .seconds: Date(timeIntervalSince1970: try document.seconds(at: index, in: parent))
        case .automatic: try document.date(assuming: nil, at: index, in: parent)
        case .iso8601(let zone): try document.date(assuming: zone, at: index, in: parent)
        case .custom(let custom): try custom.decode(JSONValueDecoder(document, index, parent))
        }
    }
}

extension JSONDocument {
    /// Returns the text of a string. The error for another kind names the string, and for `null` the type.
    fileprivate func text(for type: Any.Type, at index: Int, in parent: Int) throws -> String {
        if self[index].isKind(.string) { return string(of: self[index]) }
        throw mismatch(self[index].isKind(.null) ? type : String.self, at: index, in: parent)
    }

    /// Reads the number of a date. An error says that a date is missing, and not that a number is.
    fileprivate func seconds(at index: Int, in parent: Int) throws -> Double {
        guard self[index].isKind(.number) || coding.readsTextAsNumber && self[index].isKind(.string) else {
            throw mismatch(Date.self, at: index, in: parent)
        }
        return try Double.read(from: self, at: index, in: parent)
    }

    fileprivate func date(assuming zone: TimeZone?, at index: Int, in parent: Int) throws -> Date {
        guard self[index].isKind(.string) else { throw mismatch(Date.self, at: index, in: parent) }
        let text = string(of: self[index])
        if let date = Date(iso8601: text, assuming: zone) { return date }
        let hasNoZone = zone == nil && Date(iso8601: text, assuming: .gmt) != nil
        throw invalid(
            "\"\(text.prefix(40))\" \(hasNoZone ? "has no time zone" : "is not an ISO 8601 date")", at: index,
            in: parent, cause: hasNoZone ? DateWithoutZone() : nil)
    }
}
