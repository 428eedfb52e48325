import HalyardFoundation

extension JSONWritable {
    static var frameKind: ObjectEncoding.Frame.Kind { .scalar }

    static func writeElements(_ elements: [Self], to encoding: ObjectEncoding) throws {
        for element in elements {
            encoding.beginElement()
            try encoding.writeKnown(element)
            encoding.endElement()
        }
    }
}

extension ObjectEncoding {
    func writeNull() { bytes.append("null") }

    @inline(__always)
    func write<T: Encodable>(_ value: T) throws {
        if case .known(let writer) = types.kind(of: T.self) { return try write(value, as: writer) }
        try push(value)
        try value.encode(to: JSONValueEncoder(self))
        try pop()
    }

    @inline(never)
    private func write<T, Known: JSONWritable>(_ value: T, as known: Known.Type) throws {
        try writeKnown(identical(value, as: known))
    }

    @inline(__always)
    fileprivate func writeKnown<Known: JSONWritable>(_ value: Known) throws {
        guard Known.frameKind != .scalar else { return try value.write(to: self) }
        try push(value)
        _ = begin(Known.frameKind)
        try value.write(to: self)
        try pop()
    }

    /// Returns the error for a number that JSON does not have. `nil` if only the depth counts.
    fileprivate func notANumber(_ value: Any) -> EncodingError? {
        guard !coding.countsOnly else { return nil }
        let message = "Unable to encode \(type(of: value)).\(value) directly in JSON."
        return .invalidValue(value, .init(codingPath: path, debugDescription: message))
    }
}

extension Array: JSONWritable where Element: Encodable {
    static var frameKind: ObjectEncoding.Frame.Kind { .array }

    func write(to encoding: ObjectEncoding) throws {
        func write<Known: JSONWritable>(_ known: Known.Type) throws {
            try known.writeElements(identical(self, as: [Known].self), to: encoding)
        }
        if case .known(let writer) = encoding.types.kind(of: Element.self) { return try write(writer) }
        for element in self {
            encoding.beginElement()
            try encoding.write(element)
            encoding.endElement()
        }
    }
}

/// The keys are not converted.
extension Dictionary: JSONWritable where Key == String, Value: Encodable {
    static var frameKind: ObjectEncoding.Frame.Kind { .object }

    func write(to encoding: ObjectEncoding) throws {
        for (name, value) in self {
            encoding.beginMember(named: name)
            try encoding.write(value)
            encoding.endMember()
        }
    }
}

extension JSONWritable where Self: FixedWidthInteger {
    @inline(__always)
    func write(to encoding: ObjectEncoding) { encoding.bytes.append(decimal: self) }
}

extension JSONWritable where Self: BinaryFloatingPoint & LosslessStringConvertible {
    func write(to encoding: ObjectEncoding) throws {
        if !isFinite, let error = encoding.notANumber(self) { throw error }
        encoding.bytes.append(number: description)
    }
}

extension Bool {
    @inline(__always)
    func write(to encoding: ObjectEncoding) { encoding.bytes.append(self ? "true" : "false") }
}

extension String {
    @inline(__always)
    func write(to encoding: ObjectEncoding) { encoding.bytes.appendQuoted(self) }
}

extension Data {
    func write(to encoding: ObjectEncoding) { encoding.bytes.appendQuoted(base64EncodedString()) }
}

extension URL {
    func write(to encoding: ObjectEncoding) { encoding.bytes.appendQuoted(absoluteString) }
}

extension Decimal {
    func write(to encoding: ObjectEncoding) throws {
        if isNaN, let error = encoding.notANumber(self) { throw error }
        encoding.bytes.append(number: description)
    }
}

extension JSON {
    func write(to encoding: ObjectEncoding) { write(to: &encoding.bytes) }
}

extension Date {
    func write(to encoding: ObjectEncoding) throws {
        switch encoding.coding.dates.kind {
        case .automatic, .milliseconds: encoding.bytes.append(decimal: try milliseconds(at: encoding.path))
        case .seconds: try timeIntervalSince1970.write(to: encoding)
        case .iso8601:
            guard let text = iso8601Text() else { throw tooFar("the years 0 to 9999", at: encoding.path) }
            encoding.bytes.appendQuoted(text)
        case .custom(let custom):
            try encoding.push(self)
            try custom.encode(self, JSONValueEncoder(encoding))
            try encoding.pop()
        }
    }
}

extension Date {
    /// Returns whole milliseconds since 1970, rounded.
    func milliseconds(at path: @autoclosure () -> [any CodingKey]) throws -> Int64 {
        if let milliseconds = Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) { return milliseconds }
        throw tooFar("milliseconds since 1970", at: path())
    }

    /// The error for a date that a format does not have. Its value is a number, because Foundation's description of a
    /// date that is infinite ends the process.
    func tooFar(_ format: String, at path: [any CodingKey]) -> EncodingError {
        let message = "the date is too far away for \(format)"
        return .invalidValue(timeIntervalSince1970, .init(codingPath: path, debugDescription: message))
    }
}
