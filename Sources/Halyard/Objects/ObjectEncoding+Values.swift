import HalyardFoundation

extension ObjectEncoding {
    func writeNull() { write(ascii: "null") }

    /// Writes ASCII text as it is.
    @inline(__always)
    func write(ascii text: StaticString) { text.withUTF8Buffer { bytes.append($0) } }

    /// Writes a value of any type.
    ///
    /// - Throws: `EncodingError`, or an error of the value's `encode(to:)`.
    @inline(__always)
    func write<T: Encodable>(_ value: T) throws {
        let kind = types.kind(of: T.self)
        guard kind == .own || kind == .verbatim else { return try write(value, as: kind) }
        try writeOwn(value)
    }

    @inline(__always)
    private func writeOwn(_ value: some Encodable) throws {
        try push(value)
        try value.encode(to: JSONValueEncoder(self))
        try pop()
    }

    @inline(never)
    private func write<T: Encodable>(_ value: T, as kind: TypeKind) throws {
        switch kind {
        case .own, .verbatim: try writeOwn(value)
        case .bool: identical(value, as: Bool.self).write(to: self)
        case .string: bytes.appendQuoted(identical(value, as: String.self))
        case .double: try identical(value, as: Double.self).write(to: self)
        case .float: try identical(value, as: Float.self).write(to: self)
        case .int: bytes.append(decimal: identical(value, as: Int.self))
        case .int8: bytes.append(decimal: identical(value, as: Int8.self))
        case .int16: bytes.append(decimal: identical(value, as: Int16.self))
        case .int32: bytes.append(decimal: identical(value, as: Int32.self))
        case .int64: bytes.append(decimal: identical(value, as: Int64.self))
        case .uint: bytes.append(decimal: identical(value, as: UInt.self))
        case .uint8: bytes.append(decimal: identical(value, as: UInt8.self))
        case .uint16: bytes.append(decimal: identical(value, as: UInt16.self))
        case .uint32: bytes.append(decimal: identical(value, as: UInt32.self))
        case .uint64: bytes.append(decimal: identical(value, as: UInt64.self))
        case .date: try write(date: identical(value, as: Date.self))
        case .data: bytes.appendQuoted(identical(value, as: Data.self).base64EncodedString())
        case .url: bytes.appendQuoted(identical(value, as: URL.self).absoluteString)
        case .decimal: try write(decimal: identical(value, as: Decimal.self))
        case .json: write(json: identical(value, as: JSON.self))
        case .container:
            guard let container = value as? any JSONWritableContainer else { return try writeOwn(value) }
            try container.write(to: self)
        }
    }

    private func write(decimal: Decimal) throws {
        guard let number = JSON.Number(decimal) else { throw notANumber(decimal) }
        bytes.append(number: number.text)
    }

    private func write(json: JSON) {
        var writer = JSONWriter()
        json.write(into: &writer)
        bytes.append(writer.bytes)
    }

    private func write(date: Date) throws {
        switch coding.dates.kind {
        case .automatic, .milliseconds: bytes.append(decimal: try date.milliseconds(at: path))
        case .seconds: try date.timeIntervalSince1970.write(to: self)
        case .iso8601:
            guard let text = date.iso8601Text() else { throw date.tooFar("the years 0 to 9999", at: path) }
            bytes.appendQuoted(text)
        case .custom(let custom):
            try push(date)
            try custom.encode(date, JSONValueEncoder(self))
            try pop()
        }
    }

    func notANumber(_ value: Any) -> EncodingError {
        .invalidValue(
            value,
            .init(
                codingPath: path, debugDescription: "Unable to encode \(type(of: value)).\(value) directly in JSON."))
    }
}
