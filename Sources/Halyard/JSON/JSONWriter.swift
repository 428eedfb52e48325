/// Writes JSON piece by piece into one buffer of UTF-8; commas, colons and indentation come by themselves.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.write(name: "id")
/// writer.write(integer: 7)
/// writer.endObject()  // {"id":7}
/// ```
/// It does not check the order of the pieces: a name before every value of an object, an end for every begin.
package struct JSONWriter {
    /// What is written so far.
    package private(set) var bytes: [UInt8]

    private let isPretty: Bool
    private var depth = 0
    /// Whether a value stands before this place in the same array or object.
    private var followsValue = false
    /// Whether a name stands before this place, and so its value comes now, on the same line.
    private var awaitsValue = false

    /// A writer that appends to `bytes`: one long line, or with `isPretty` a line for each value, indented by 2 blanks.
    package init(appendingTo bytes: [UInt8] = [], isPretty: Bool = false) {
        self.bytes = bytes
        self.isPretty = isPretty
    }

    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }
    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }

    /// The name of the member whose value is written next.
    package mutating func write(name: String) {
        separate()
        Self.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if isPretty { bytes.append(UInt8(ascii: " ")) }
        awaitsValue = true
    }

    package mutating func write(string: String) {
        separate()
        Self.appendQuoted(string, to: &bytes)
    }

    package mutating func write(number: JSON.Number) { write(number: number.text) }
    /// A number in decimal, as it stands.
    package mutating func write(number text: String) { write(raw: text) }
    package mutating func write(integer: some BinaryInteger) { write(raw: String(integer)) }
    package mutating func write(bool: Bool) { write(raw: bool ? "true" : "false") }
    package mutating func writeNull() { write(raw: "null") }

    private mutating func write(raw text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
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

    /// Writes what must stand between the last piece and a value or name.
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
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}
