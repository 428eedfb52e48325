public import HalyardFoundation

extension JSON {
    /// Returns the value as compact JSON in UTF-8. Members keep their order, and numbers keep their text.
    ///
    /// Only quotation marks, backslashes and control characters are escaped; `/` and `é` are not.
    public func encoded() -> Data { written().data }

    /// The value as JSON on several lines, indented by two spaces.
    public var prettyPrinted: String { written(isPretty: true).text }

    private func written(isPretty: Bool = false) -> ByteBuffer {
        var bytes = ByteBuffer(capacity: 64)
        write(to: &bytes, indentation: isPretty ? 0 : nil)
        return bytes
    }

    /// Appends the value to JSON, without recursion. `indentation` is the number of spaces before the value's last
    /// line. `nil` for JSON on one line.
    func write(to bytes: inout ByteBuffer, indentation: Int? = nil) {
        var (open, next): ([OpenList], JSON?) = ([], self)
        while let value = next {
            switch value {
            case .null: bytes.append("null")
            case .bool(let bool): bytes.append(bool ? "true" : "false")
            case .number(let number): bytes.append(text: number.text)
            case .string(let string): bytes.appendQuoted(string)
            case .array(let elements):
                bytes.append("[")
                open.append(.array(elements[...]))
            case .object(let members):
                bytes.append("{")
                open.append(.object(members[...]))
            }
            next = bytes.beginNext(in: &open, indentation)
        }
    }
}

/// An array or object that is being written, with what is left of it.
private enum OpenList {
    case array(ArraySlice<JSON>)
    case object(Slice<JSON.Object>)
}

extension GrowingBuffer where Element == UInt8 {
    /// Ends the lists that have nothing left, and returns the next value of the innermost one that has, after its name.
    /// `nil` at the end of all lists.
    fileprivate mutating func beginNext(in open: inout [OpenList], _ indentation: Int?) -> JSON? {
        while let list = open.popLast() {
            let indentation = indentation.map { $0 + 2 * open.count }
            switch list {
            case .array(var elements):
                guard let element = elements.popFirst() else {
                    end("]", indentation)
                    continue
                }
                separate(indentation)
                open.append(.array(elements))
                return element
            case .object(var members):
                guard let (name, value) = members.popFirst() else {
                    end("}", indentation)
                    continue
                }
                separate(indentation)
                appendQuoted(name)
                append(indentation == nil ? ":" : ": ")
                open.append(.object(members))
                return value
            }
        }
        return nil
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
            level = level.flatMap { $0.array ?? $0.object?.map(\.value) ?? [] }
            if level.isEmpty { return false }
        }
        return true
    }
}

extension GrowingBuffer where Element == UInt8 {
    /// Appends a string in quotes, with only the escapes that RFC 8259 section 7 requires.
    @inline(__always)
    @discardableResult
    mutating func appendQuoted(_ string: String) -> Bool {
        append(UInt8(ascii: "\""))
        let isPlain = string.utf8.withContiguousStorageIfAvailable { buffer in
            guard JSONBytes(buffer).endOfPlain(from: 0, allowing: 0xFF) == buffer.count else { return false }
            append(buffer)
            return true
        }
        if isPlain != true { appendEscaped(string) }
        append(UInt8(ascii: "\""))
        return isPlain != true
    }

    @inline(never)
    private mutating func appendEscaped(_ string: String) {
        for byte in string.utf8 {
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
                append(byte)
                continue
            }
            append(UInt8(ascii: "\\"))
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
            case UInt8(ascii: "\n"): append(UInt8(ascii: "n"))
            case UInt8(ascii: "\r"): append(UInt8(ascii: "r"))
            case UInt8(ascii: "\t"): append(UInt8(ascii: "t"))
            case 0x08: append(UInt8(ascii: "b"))
            case 0x0C: append(UInt8(ascii: "f"))
            default:
                for digit in byte < 0x10 ? "u000".utf8 : "u001".utf8 { append(digit) }
                append((byte & 0xF) < 10 ? UInt8(ascii: "0") + (byte & 0xF) : UInt8(ascii: "a") + (byte & 0xF) - 10)
            }
        }
    }

    /// Appends the name of a property in snake case, in quotes. Returns `false`, with nothing appended, if
    /// `SnakeCase.write` cannot.
    mutating func appendSnakeCase(_ property: String) -> Bool {
        property.utf8.withContiguousStorageIfAvailable { property in
            var isWritten = false
            append(reserving: 2 * property.count + 2) { room in
                guard let length = SnakeCase.write(property, to: room + 1) else { return 0 }
                (room[0], room[length + 1], isWritten) = (UInt8(ascii: "\""), UInt8(ascii: "\""), true)
                return length + 2
            }
            return isWritten
        } ?? false
    }

    /// Appends a whole number in decimal.
    @inline(__always)
    mutating func append<Value: FixedWidthInteger>(decimal value: Value) {
        guard let small = Int64(exactly: value) else {
            for digit in String(value).utf8 { append(digit) }
            return
        }
        append(reserving: 20) { target in
            var (rest, position) = (small.magnitude, 20)
            // The digits are written from the last to the first, at the end of the reserved bytes.
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                position -= 1
                target[position] = UInt8(ascii: "0") + UInt8(digit)
                rest = quotient
            } while rest > 0
            if small < 0 {
                position -= 1
                target[position] = UInt8(ascii: "-")
            }
            let length = 20 - position
            target.update(from: target + position, count: length)
            return length
        }
    }

    @inline(__always)
    mutating func append(_ text: StaticString) { text.withUTF8Buffer { append($0) } }

    mutating func append(text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Whether a list has begun, and has no element yet.
    private var isAtStartOfList: Bool {
        count > 0 && (self[count - 1] == UInt8(ascii: "[") || self[count - 1] == UInt8(ascii: "{"))
    }

    /// Appends what is before an element or a member. `indentation` is the number of spaces before the list's last
    /// line. `nil` for a list on one line.
    mutating func separate(_ indentation: Int? = nil) {
        if !isAtStartOfList { append(",") }
        breakLine(indentation.map { $0 + 2 })
    }

    /// Appends the end of a list.
    mutating func end(_ bracket: StaticString, _ indentation: Int?) {
        if !isAtStartOfList { breakLine(indentation) }
        append(bracket)
    }

    private mutating func breakLine(_ indentation: Int?) {
        guard let indentation else { return }
        append("\n")
        for _ in 0..<indentation { append(" ") }
    }

    /// Appends a finite number, without `.0`.
    @inline(__always)
    mutating func append(number description: String) {
        var digits = Substring(description)
        if description.utf8.count > 2, description.hasSuffix(".0") { digits = digits.dropLast(2) }
        for digit in digits.utf8 { append(digit) }
    }
}
