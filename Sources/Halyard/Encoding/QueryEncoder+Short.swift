import HalyardHTTP

// The fast path for queries and forms with a few single values: they are written on the stack and copied once (`bench
// build`: half the time of an array that grows).
extension QueryEncoder {
    /// Writes parameters, and passes the bytes to a closure.
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
            // This uses indices, here and below: a loop over the items copies each, and changes its reference counts.
            for index in parameters.items.indices {
                writer.append(parameters.items[index].name, parameters.items[index].value.storage)
            }
            return use(UnsafeBufferPointer(rebasing: room[..<writer.count]))
        }
    }

    /// Returns an upper bound of the number of bytes. `nil` if it is large, or if there are lists or objects.
    private static func bound(of parameters: Parameters) -> Int? {
        var bound = 0
        for index in parameters.items.indices {
            bound += 3 * parameters.items[index].name.utf8.count + 2
            switch parameters.items[index].value.storage {
            case .text(let text), .number(let text): bound += 3 * text.utf8.count
            case .integer, .flag: bound += 20
            default: return nil
            }
            if bound > 4096 { return nil }
        }
        return bound
    }
}

/// Writes into memory that is large enough.
private struct ShortWriter {
    private let room: UnsafeMutableBufferPointer<UInt8>
    private let unescaped = ASCIISet.unreserved
    private(set) var count = 0

    init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

    mutating func append(_ name: String, _ value: ParameterValue.Storage) {
        if count > 0 { append(UInt8(ascii: "&")) }
        append(name)
        append(UInt8(ascii: "="))
        switch value {
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
        guard let start = room.baseAddress?.advanced(by: count) else { return }
        var text = text
        count += text.withUTF8 { unescaped.percentEncode($0, into: start) }
        assert(count <= room.count)
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
}
