import Halyard
import HalyardFoundation
import HalyardHTTP

/// The content of a file of a ``DiskStore``: the responses of one key. It has no side effects.
///
/// A file has ``CacheFile/magic``, a checksum of what follows, the length of the head, the head in JSON and the bodies. A
/// file that was cut off, or whose bytes have changed, has another checksum. Numbers are little-endian with eight bytes.
struct CacheFile {
    /// The URL of the responses, which a reader compares with the one that it looks for.
    let url: String
    private(set) var responses: [StoredResponse]

    /// The start of each file, with the version of the format.
    private static let magic = Array("halyard-cache 4\n".utf8)
    private static let startLength = magic.count + 16
    private static let mapper = ObjectMapper()

    private struct Head: Codable {
        let url: String
        let responses: [Record]
    }

    /// A response without its body.
    private struct Record: Codable {
        let status: Int
        let requested: Double
        let received: Double
        /// The names and values of the header fields in turn.
        let headers: [String]
        let varying: VaryingFields
        let length: Int
    }

    init(url: String, responses: [StoredResponse]) {
        self.url = url
        self.responses = responses
    }

    /// Returns the bytes of the file. Throws `EncodingError` for a moment that is none.
    func encoded() throws -> Data {
        let records = responses.map { response in
            Record(
                status: response.status, requested: response.requested, received: response.freshness.received,
                headers: response.headers.flatMap { [$0.name.rawValue, $0.value] }, varying: response.varying,
                length: response.body.count)
        }
        let head = try Self.mapper.encode(Head(url: url, responses: records))
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

    /// Reads a file. `nil` for a file that is damaged, or of another version.
    ///
    /// - Parameters:
    ///   - byteCount: The length of the file. A caller limits it, because memory of that size is reserved.
    ///   - read: Fills memory with the next bytes of the file, and returns whether there were enough.
    init?(byteCount: Int, _ heuristic: CacheHeuristic, read: (UnsafeMutableRawBufferPointer) -> Bool) {
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
        guard let bytes = take(length), let head = try? Self.mapper.decode(Head.self, from: bytes) else { return nil }
        self.init(url: head.url, responses: [])
        for record in head.responses {
            guard let body = take(record.length), let response = Self.response(record, body, heuristic) else {
                return nil
            }
            responses.append(response)
        }
        guard rest == 0, sum.value == wanted else { return nil }
    }

    /// Returns a response. `nil` if its status is none, a moment is one that no clock shows, or a field is not valid.
    private static func response(_ record: Record, _ body: Data, _ heuristic: CacheHeuristic) -> StoredResponse? {
        let pairs = stride(from: 0, to: record.headers.count - 1, by: 2).map { index in
            (record.headers[index], record.headers[index + 1])
        }
        let headers = HTTPHeaders(lenient: pairs)
        guard (200...999).contains(record.status), abs(record.requested) < 1e15, abs(record.received) < 1e15,
            headers.rejection == nil
        else { return nil }
        return StoredResponse(
            status: record.status, headers: headers, body: body, varying: record.varying, requested: record.requested,
            received: record.received, heuristic)
    }
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
