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
package struct JSONWriter {
    /// The bytes so far.
    package private(set) var bytes: [UInt8]

    private let isPretty: Bool
    private var depth = 0
    /// Whether there is a value before this place in the same array or object.
    private var followsValue = false
    /// Whether a name is before this place, so that its value follows on the same line.
    private var awaitsValue = false

    /// Makes a writer that appends to `bytes`: on one line, or with `isPretty` on a line for each value, indented by
    /// two spaces.
    package init(appendingTo bytes: [UInt8] = [], isPretty: Bool = false) {
        self.bytes = bytes
        self.isPretty = isPretty
    }

    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }
    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }

    /// Writes the name of the next value.
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
    /// Writes a number in decimal, without changes.
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
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }
}
