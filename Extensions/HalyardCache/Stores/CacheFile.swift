import HalyardFoundation
import HalyardHTTP

/// The content of a file of a ``DiskStore``: the responses of one key. It has no side effects.
///
/// A file begins with ``CacheFile/magic`` and a checksum of the rest. A file that was cut off, or whose bytes have
/// changed, has another checksum. Numbers are little-endian with eight bytes. A text is its length and its UTF-8.
struct CacheFile {
    /// The URL of the responses, which a reader compares with the one that it looks for.
    let url: String
    let responses: [StoredResponse]

    /// The start of each file, with the version of the format.
    private static let magic = Array("halyard-cache 1\n".utf8)
    private static let headLength = magic.count + 8

    /// The bytes of the file.
    var encoded: Data {
        var writer = Writer()
        writer.bytes.reserveCapacity(1024 + responses.reduce(0) { $0 + $1.cost })
        writer.bytes.append(contentsOf: Self.magic)
        writer.number(0)
        writer.text(url)
        writer.number(responses.count)
        for response in responses { writer.response(response) }
        let sum = writer.bytes.withUnsafeBytes {
            Self.checksum(UnsafeRawBufferPointer(rebasing: $0[Self.headLength...]))
        }
        for (index, byte) in sum.littleEndianBytes.enumerated() { writer.bytes[Self.magic.count + index] = byte }
        return writer.bytes
    }

    init(url: String, responses: [StoredResponse]) {
        self.url = url
        self.responses = responses
    }

    /// Reads the bytes of a file. `nil` for a file that is damaged, or of another version.
    init?(_ bytes: Data, _ heuristic: CacheHeuristic) {
        guard bytes.count >= Self.headLength, bytes.starts(with: Self.magic) else { return nil }
        var reader = Reader(bytes: bytes, position: bytes.startIndex + Self.magic.count)
        let rest = bytes.dropFirst(Self.headLength)
        guard let sum = reader.number(), UInt64(bitPattern: Int64(sum)) == rest.withUnsafeBytes(Self.checksum),
            let url = reader.text(), let count = reader.number(), (0...1000).contains(count)
        else { return nil }
        var responses: [StoredResponse] = []
        for _ in 0..<count {
            guard let response = reader.response(heuristic) else { return nil }
            responses.append(response)
        }
        self.init(url: url, responses: responses)
    }

    /// FNV-1a over words of eight bytes. It finds damage. It does not protect against a program that can write the file.
    private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(bytes.count)
        let words = bytes.count / 8
        for index in 0..<words {
            sum =
                (sum ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)))
                &* 0x100_0000_01b3
            sum ^= sum >> 32
        }
        for byte in bytes[(words * 8)...] { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return sum
    }
}

extension CacheFile {
    private struct Writer {
        var bytes = Data()

        mutating func number(_ value: Int) {
            bytes.append(contentsOf: UInt64(bitPattern: Int64(value)).littleEndianBytes)
        }
        mutating func moment(_ value: Double) { bytes.append(contentsOf: value.bitPattern.littleEndianBytes) }

        mutating func text(_ text: String) {
            number(text.utf8.count)
            bytes.append(contentsOf: text.utf8)
        }

        mutating func response(_ response: StoredResponse) {
            number(response.status)
            moment(response.requested)
            moment(response.freshness.received)
            number(response.headers.count)
            for field in response.headers {
                text(field.name.rawValue)
                text(field.value)
            }
            number(response.varying.pairs.count)
            for (name, value) in response.varying.pairs {
                text(name)
                number(value == nil ? 0 : 1)
                if let value { text(value) }
            }
            text(response.range.map { "bytes \($0.first)-\($0.last)/\($0.total.map(String.init) ?? "*")" } ?? "")
            number(response.body.count)
            bytes.append(response.body)
        }
    }

    private struct Reader {
        let bytes: Data
        var position: Int

        mutating func take(_ count: Int) -> Data? {
            guard count >= 0, count <= bytes.endIndex - position else { return nil }
            defer { position += count }
            return bytes[position..<position + count]
        }

        private mutating func word() -> UInt64? {
            take(8).map { $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        }

        mutating func number() -> Int? { word().map { Int(Int64(bitPattern: $0)) } }
        mutating func moment() -> Double? { word().map(Double.init(bitPattern:)) }

        mutating func text() -> String? {
            guard let count = number(), let bytes = take(count) else { return nil }
            return String(utf8: bytes)
        }

        mutating func response(_ heuristic: CacheHeuristic) -> StoredResponse? {
            guard let status = number(), let requested = moment(), let received = moment(), let fields = number(),
                let headers = pairs(fields, { $0.text() }), let names = number(),
                let varying = pairs(
                    names,
                    { reader in
                        reader.number().flatMap { $0 == 0 ? .some(nil) : reader.text().map(Optional.some) }
                    }),
                let range = text(), let count = number(), let body = take(count)
            else { return nil }
            let all = HTTPHeaders(lenient: headers.map { ($0.name, $0.value) })
            guard all.rejection == nil, range.isEmpty || ContentRange(range) != nil else { return nil }
            return StoredResponse(
                status: status, headers: all, body: Data(body), range: ContentRange(range),
                varying: VaryingFields(varying),
                freshness: Freshness(status, all, requested: requested, received: received, heuristic: heuristic),
                requested: requested)
        }

        /// Reads names with values.
        private mutating func pairs<Value>(
            _ count: Int, _ value: (inout Reader) -> Value?
        ) -> [(name: String, value: Value)]? {
            guard (0...100_000).contains(count) else { return nil }
            var pairs: [(name: String, value: Value)] = []
            for _ in 0..<count {
                guard let name = text(), let value = value(&self) else { return nil }
                pairs.append((name, value))
            }
            return pairs
        }
    }
}

extension UInt64 {
    fileprivate var littleEndianBytes: [UInt8] { Swift.withUnsafeBytes(of: littleEndian, Array.init) }
}
