package import HalyardHTTP

/// Percent-encoding (RFC 3986 section 2.1) into a buffer of bytes.
extension [UInt8] {
    /// Appends text, with every byte outside `allowed` as `%XX`.
    package mutating func append(percentEncoding text: some StringProtocol, allowed: ASCIISet = .unreserved) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(percentEncoding: $0, allowed) }
        if isDone == nil { Array(text.utf8).withUnsafeBufferPointer { append(percentEncoding: $0, allowed) } }
    }

    private mutating func append(percentEncoding bytes: UnsafeBufferPointer<UInt8>, _ allowed: ASCIISet) {
        // The text is encoded in pieces, so that the memory is on the stack.
        let piece = Swift.min(bytes.count, 256)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * piece) { room in
            guard let room = room.baseAddress else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = allowed.percentEncode(UnsafeBufferPointer(rebasing: rest.prefix(piece)), into: room)
                append(contentsOf: UnsafeBufferPointer(start: room, count: count))
                rest = rest.dropFirst(piece)
            }
        }
    }

    package mutating func append(percentEncoded byte: UInt8) {
        let (percent, high, low) = byte.percentEncoded
        append(percent)
        append(high)
        append(low)
    }
}
