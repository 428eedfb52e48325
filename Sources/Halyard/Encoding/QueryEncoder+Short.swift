import HalyardHTTP

// What nearly all queries and forms are: a few single values, written on the stack and copied once to where they go
// (`bench build`: half of what an array that grows takes).
extension QueryEncoder {
    /// Writes parameters, and hands the bytes over.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding` for a value that cannot be written.
    static func encode<Result>(
        _ parameters: Parameters, arrays: ParameterEncoding.ArrayStyle,
        _ use: (UnsafeBufferPointer<UInt8>) -> Result
    ) throws(HTTPError) -> Result {
        guard let bound = bound(of: parameters) else {
            return try encode(parameters, arrays: arrays).withUnsafeBufferPointer(use)
        }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bound) { room in
            var writer = ShortWriter(room)
            for item in parameters.items { writer.append(item) }
            return use(UnsafeBufferPointer(rebasing: room[..<writer.count]))
        }
    }

    /// The most bytes that it can come to; nil when that is much, or when there is more than single values.
    private static func bound(of parameters: Parameters) -> Int? {
        var bound = 0
        for item in parameters.items {
            bound += 3 * item.name.utf8.count + 2
            switch item.value.storage {
            case .text(let text), .number(let text): bound += 3 * text.utf8.count
            case .integer, .flag: bound += 20
            default: return nil
            }
            if bound > 4096 { return nil }
        }
        return bound
    }
}

/// Writes into a room that is known to be large enough.
private struct ShortWriter {
    private let room: UnsafeMutableBufferPointer<UInt8>
    private let unescaped = ASCIISet.unreserved
    private(set) var count = 0

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    mutating func append(_ item: Parameters.Item) {
        if count > 0 { append(UInt8(ascii: "&")) }
        append(item.name)
        append(UInt8(ascii: "="))
        switch item.value.storage {
        case .text(let text), .number(let text): append(text)
        case .integer(let number): append(number)
        case .flag(let flag): append(flag ? "true" : "false")
        default: break  // `bound(of:)` let none of these pass
        }
    }

    private mutating func append(_ byte: UInt8) {
        room[count] = byte
        count += 1
    }

    private mutating func append(_ text: String) {
        var (text, end) = (text, count)
        text.withUTF8 { bytes in
            for byte in bytes {
                if unescaped.contains(byte) {
                    room[end] = byte
                    end += 1
                } else {
                    room[end] = UInt8(ascii: "%")
                    room[end + 1] = Self.digit(byte >> 4)
                    room[end + 2] = Self.digit(byte & 15)
                    end += 3
                }
            }
        }
        count = end
    }

    private mutating func append(_ number: Int) {
        var (unit, rest): (UInt, UInt) = (1, number.magnitude)
        while rest / unit >= 10 { unit *= 10 }
        if number < 0 { append(UInt8(ascii: "-")) }
        while unit > 0 {
            append(UInt8(ascii: "0") + UInt8(rest / unit))
            rest %= unit
            unit /= 10
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
