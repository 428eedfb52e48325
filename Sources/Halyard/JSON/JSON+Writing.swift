public import HalyardFoundation

extension JSON {
    /// Returns the value as compact JSON in UTF-8. Members keep their order, and numbers their text.
    ///
    /// Only quotes, backslashes and control characters are escaped. `/` and `é` are not.
    public func encoded() -> Data { written().data }

    /// The value as JSON in several lines, indented by two spaces.
    public var prettyPrinted: String { written(isPretty: true).text }

    private func written(isPretty: Bool = false) -> JSONWriter {
        var writer = JSONWriter(isPretty: isPretty)
        write(into: &writer)
        return writer
    }

    /// Writes the value to a writer.
    func write(into writer: inout JSONWriter) {
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
    public var description: String { written().text }
}

extension JSON {
    /// Returns whether arrays and objects are nested deeper than a limit. It does not recurse.
    package func isDeeper(than limit: Int) -> Bool {
        var level = [self]
        for _ in 0...limit {
            level = level.flatMap(\.children)
            if level.isEmpty { return false }
        }
        return true
    }

    private var children: [JSON] {
        switch self {
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        default: []
        }
    }
}

/// Writes JSON piece by piece to one buffer of UTF-8. Commas, colons and indentation are added.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.write(name: "id")
/// writer.write(integer: 7)
/// writer.endObject()  // {"id":7}
/// ```
/// It does not check the order of the pieces: a name before every value of an object, an end for every begin.
struct JSONWriter: ~Copyable {
    /// The bytes so far.
    private(set) var bytes = ByteBuffer(capacity: 64)

    private let isPretty: Bool
    private var depth = 0
    /// Whether there is a value before this place in the same array or object.
    private var followsValue = false
    /// Whether a name is before this place, so that its value follows on the same line.
    private var awaitsValue = false

    /// Makes a writer: on one line, or with `isPretty` on a line for each value, indented by two spaces.
    init(isPretty: Bool = false) { self.isPretty = isPretty }

    /// The JSON so far.
    var data: Data { bytes.data }
    var text: String { bytes.bytes.string(at: 0, count: bytes.count) }

    mutating func beginArray() { begin(UInt8(ascii: "[")) }
    mutating func endArray() { end(UInt8(ascii: "]")) }
    mutating func beginObject() { begin(UInt8(ascii: "{")) }
    mutating func endObject() { end(UInt8(ascii: "}")) }

    /// Writes the name of the next value.
    mutating func write(name: String) {
        separate()
        bytes.appendQuoted(name)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        awaitsValue = true
    }

    mutating func write(string: String) {
        separate()
        bytes.appendQuoted(string)
    }

    mutating func write(number: JSON.Number) { write(number: number.text) }
    /// Writes a number in decimal, without changes.
    mutating func write(number text: String) { write(raw: text) }
    mutating func write(integer: some FixedWidthInteger) {
        separate()
        bytes.append(decimal: integer)
    }
    mutating func write(bool: Bool) { write(raw: bool ? "true" : "false") }
    mutating func writeNull() { write(raw: "null") }

    private mutating func write(raw text: String) {
        separate()
        var text = text
        text.withUTF8 { bytes.append($0) }
    }
}

extension JSONWriter {
    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        followsValue = false
    }

    private mutating func end(_ bracket: UInt8) {
        depth -= 1
        if followsValue { breakLine() }
        bytes.append(bracket)
        followsValue = true
    }

    /// Writes the separator before a value or name.
    private mutating func separate() {
        if awaitsValue {
            awaitsValue = false
        } else {
            if followsValue { bytes.append(UInt8(ascii: ",")) }
            if depth > 0 { breakLine() }
        }
        followsValue = true
    }

    private mutating func breakLine() {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        for _ in 0..<2 * depth { bytes.append(UInt8(ascii: " ")) }
    }
}
