import HalyardFoundation
import HalyardHTTP

/// The content of a file of a ``DiskStore``: the responses of one key. It has no side effects.
///
/// A file has ``CacheFile/magic``, a checksum of what follows, the length of the head, the head and the bodies. A file
/// that was cut off, or whose bytes have changed, has another checksum. The two numbers are little-endian with eight
/// bytes. The head is lines of text: the URL, and for each response a line of numbers, its header fields, an empty line,
/// the fields that vary, and an empty line.
struct CacheFile {
    /// The URL of the responses, which a reader compares with the one that it looks for.
    let url: String
    private(set) var responses: [StoredResponse]

    /// The start of each file, with the version of the format.
    private static let magic = Array("halyard-cache 4\n".utf8)
    private static let startLength = magic.count + 16

    /// The bytes of the file.
    var encoded: Data {
        var text = url + "\n"
        for response in responses {
            text += "\(response.status) \(response.body.count) \(response.requested) \(response.freshness.received)\n"
            for field in response.headers { text += "\(field.name.rawValue): \(field.value)\n" }
            text += "\n"
            for (name, value) in response.varying.pairs { text += value.map { "\(name): \($0)\n" } ?? "\(name)\n" }
            text += "\n"
        }
        let head = Data(text.utf8)
        let parts = [head] + responses.map(\.body)
        var sum = Checksum()
        for part in parts { part.withUnsafeBytes { sum.add($0) } }

        var file = Data(Self.magic)
        file.reserveCapacity(Self.startLength + parts.reduce(0) { $0 + $1.count })
        for number in [sum.value, UInt64(head.count)] {
            withUnsafeBytes(of: number.littleEndian) { file.append(contentsOf: $0) }
        }
        for part in parts { file.append(part) }
        return file
    }
}

extension CacheFile {
    /// Reads a file. `nil` for a file that is damaged, or of another version.
    ///
    /// - Parameters:
    ///   - byteCount: The length of the file. A caller limits it, because memory of that size is reserved.
    ///   - read: Fills memory with the next bytes of the file, and returns whether there were enough.
    init?(byteCount: Int, _ estimates: Bool, read: (UnsafeMutableRawBufferPointer) -> Bool) {
        var (rest, sum) = (byteCount, Checksum())
        /// Returns the next bytes in memory of their own, so that a body is not copied.
        func take(_ count: Int, isSummed: Bool = true) -> Data? {
            guard (0...rest).contains(count) else { return nil }
            rest -= count
            var data = Data(count: count)
            let isRead = data.withUnsafeMutableBytes { bytes in
                guard count == 0 || read(bytes) else { return false }
                if isSummed { sum.add(UnsafeRawBufferPointer(bytes)) }
                return true
            }
            return isRead ? data : nil
        }
        guard let start = take(Self.startLength, isSummed: false), start.starts(with: Self.magic) else { return nil }
        let (wanted, length) = start.withUnsafeBytes { bytes in
            func number(at place: Int) -> UInt64 {
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            }
            return (number(at: Self.magic.count), Int(clamping: number(at: Self.magic.count + 8)))
        }
        guard let head = take(length) else { return nil }
        var lines = Array(head).split(separator: .lineFeed, omittingEmptySubsequences: false)[...]
        self.init(url: String(decoding: lines.popFirst() ?? [], as: UTF8.self), responses: [])
        while let line = lines.popFirst(), !line.isEmpty {
            let numbers = String(decoding: line, as: UTF8.self).split(separator: " ")
            let (headers, varying) = (Self.fields(&lines), Self.fields(&lines))
            guard numbers.count == 4, let count = Int(numbers[1]), let body = take(count),
                let response = Self.response(numbers, headers, varying, body, estimates)
            else { return nil }
            responses.append(response)
        }
        guard rest == 0, sum.value == wanted else { return nil }
    }

    /// Reads fields up to an empty line. The value is `nil` for a name alone.
    private static func fields(_ lines: inout ArraySlice<ArraySlice<UInt8>>) -> [(name: String, value: String?)] {
        var fields: [(name: String, value: String?)] = []
        while let line = lines.popFirst(), !line.isEmpty {
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            let value = colon < line.endIndex ? String(decoding: line[colon...].dropFirst(2), as: UTF8.self) : nil
            fields.append((String(decoding: line[..<colon], as: UTF8.self), value))
        }
        return fields
    }

    /// Returns a response. `nil` if its status is none, a moment is one that no clock shows, or a field is not valid.
    private static func response(
        _ numbers: [Substring], _ fields: [(name: String, value: String?)],
        _ varying: [(name: String, value: String?)], _ body: Data, _ estimates: Bool
    ) -> StoredResponse? {
        let headers = HTTPHeaders(lenient: fields.map { ($0.name, $0.value ?? "") })
        guard let status = Int(numbers[0]), (200...999).contains(status), let requested = Double(numbers[2]),
            let received = Double(numbers[3]), abs(requested) < 1e15, abs(received) < 1e15, headers.rejection == nil
        else { return nil }
        return StoredResponse(
            status: status, headers: headers, body: body, varying: VaryingFields(varying), requested: requested,
            received: received, estimates)
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
}

/// A sum over the words of eight bytes. It finds damage. It does not protect against a program that can write the file.
private struct Checksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds bytes. Eight sums take turns, so that the processor multiplies without waiting for the last product.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var sums = SIMD8<UInt64>(1, 2, 3, 4, 5, 6, 7, 8)
        add(UInt64(bytes.count))
        let end = bytes.count & ~63
        for offset in stride(from: 0, to: end, by: 64) {
            sums ^= bytes.loadUnaligned(fromByteOffset: offset, as: SIMD8<UInt64>.self)
            sums = (sums &<< 29 | sums &>> 35) &* 0x9e37_79b9_7f4a_7c15
        }
        for byte in bytes[end...] { add(UInt64(byte)) }
        for index in 0..<8 { add(sums[index]) }
    }

    /// Each step can be undone, so that a change of one word always changes the sum.
    private mutating func add(_ word: UInt64) {
        value ^= word
        value = (value << 29 | value >> 35) &* 0x9e37_79b9_7f4a_7c15
    }
}
