public import HalyardFoundation

extension JSON {
    /// Returns the value as compact JSON in UTF-8. Members keep their order, and numbers their text.
    ///
    /// Only quotes, backslashes and control characters are escaped. `/` and `é` are not.
    ///
    /// - Returns: The JSON.
    public func encoded() -> Data { Data(written(isPretty: false)) }

    /// The value as JSON in several lines, indented by two spaces.
    public var prettyPrinted: String { String(decoding: written(isPretty: true), as: UTF8.self) }

    private func written(isPretty: Bool) -> [UInt8] {
        var writer = JSONWriter(isPretty: isPretty)
        write(into: &writer)
        return writer.bytes
    }

    /// Writes the value to a writer.
    package func write(into writer: inout JSONWriter) {
        switch self {
        case .null: writer.writeNull()
        case .bool(let bool): writer.write(bool: bool)
        case .number(let number): writer.write(number: number)
        case .string(let string): writer.write(string: string)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.write(into: &writer) }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in members {
                writer.write(name: name)
                value.write(into: &writer)
            }
            writer.endObject()
        }
    }
}

extension JSON: CustomStringConvertible {
    /// The value as compact JSON text.
    public var description: String { String(decoding: written(isPretty: false), as: UTF8.self) }
}
