import HalyardFoundation
import HalyardHTTP

/// The content of a file of a ``DiskStore``: the responses of one key. It has no side effects.
///
/// A file has ``CacheFile/magic``, a checksum of what follows, the length of the head, the head and the bodies. The head
/// has all but the bodies. A file that was cut off, or whose bytes have changed, has another checksum. Numbers are
/// little-endian with eight bytes. A text is its length and its UTF-8.
struct CacheFile {
    /// The URL of the responses, which a reader compares with the one that it looks for.
    let url: String
    private(set) var responses: [StoredResponse]

    /// The start of each file, with the version of the format.
    private static let magic = Array("halyard-cache 3\n".utf8)
    private static let startLength = magic.count + 16

    init(url: String, responses: [StoredResponse]) {
        self.url = url
        self.responses = responses
    }

    /// The bytes of the file.
    var encoded: Data {
        var head = Writer()
        head.text(url)
        head.number(responses.count)
        for response in responses { head.response(response) }
        var sum = Checksum()
        head.bytes.withUnsafeBytes { sum.add($0) }
        for response in responses { response.body.withUnsafeBytes { sum.add($0) } }

        var file = Writer()
        file.bytes.reserveCapacity(Self.startLength + head.bytes.count + responses.reduce(0) { $0 + $1.body.count })
        file.bytes.append(contentsOf: Self.magic)
        file.word(sum.value)
        file.number(head.bytes.count)
        file.bytes.append(head.bytes)
        for response in responses { file.bytes.append(response.body) }
        return file.bytes
    }

    /// Reads a file. `nil` for a file that is damaged, or of another version.
    ///
    /// - Parameters:
    ///   - byteCount: The length of the file. A caller limits it, because memory of that size is reserved.
    ///   - read: Fills memory with the next bytes of the file, and returns whether there were enough.
    init?(byteCount: Int, _ heuristic: CacheHeuristic, read: (UnsafeMutableRawBufferPointer) -> Bool) {
        guard byteCount >= Self.startLength, let start = Self.bytes(Self.startLength, read),
            start.starts(with: Self.magic)
        else { return nil }
        var reader = Reader(bytes: start, position: Self.magic.count)
        guard let sum = reader.word(), let headLength = reader.number(),
            (0...byteCount - Self.startLength).contains(headLength), let head = Self.bytes(headLength, read)
        else { return nil }
        var actualSum = Checksum()
        head.withUnsafeBytes { actualSum.add($0) }

        reader = Reader(bytes: head, position: 0)
        guard let url = reader.text(), let count = reader.number(), (0...1000).contains(count) else { return nil }
        self.init(url: url, responses: [])
        var rest = byteCount - Self.startLength - headLength
        for _ in 0..<count {
            let response = reader.response(heuristic) { count in
                guard (0...rest).contains(count) else { return nil }
                rest -= count
                // The body's own memory, so that it is not copied.
                var body = Data(count: count)
                let isRead = body.withUnsafeMutableBytes { bytes in
                    guard count == 0 || read(bytes) else { return false }
                    actualSum.add(UnsafeRawBufferPointer(bytes))
                    return true
                }
                return isRead ? body : nil
            }
            guard let response else { return nil }
            responses.append(response)
        }
        guard rest == 0, sum == actualSum.value else { return nil }
    }

    private static func bytes(_ count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Bool) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let buffer = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count])
            if count > 0, read(buffer) { filled = count }
        }
        return bytes.count == count ? bytes : nil
    }
}

/// A sum over the words of eight bytes. It finds damage. It does not protect against a program that can write the file.
private struct Checksum {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Adds bytes. Eight sums take turns, so that the processor multiplies without waiting for the last product.
    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, 4)
        var (e, f, g, h): (UInt64, UInt64, UInt64, UInt64) = (5, 6, 7, 8)
        func add(_ offset: Int, to sum: inout UInt64) {
            Self.add(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)), to: &sum)
        }
        Self.add(UInt64(bytes.count), to: &value)
        let end = bytes.count & ~63
        for offset in stride(from: 0, to: end, by: 64) {
            add(offset, to: &a)
            add(offset + 8, to: &b)
            add(offset + 16, to: &c)
            add(offset + 24, to: &d)
            add(offset + 32, to: &e)
            add(offset + 40, to: &f)
            add(offset + 48, to: &g)
            add(offset + 56, to: &h)
        }
        for byte in bytes[end...] { Self.add(UInt64(byte), to: &value) }
        for sum in [a, b, c, d, e, f, g, h] { Self.add(sum, to: &value) }
    }

    /// Each step can be undone, so that a change of one word always changes the sum.
    private static func add(_ word: UInt64, to sum: inout UInt64) {
        sum ^= word
        sum = (sum << 29 | sum >> 35) &* 0x9e37_79b9_7f4a_7c15
    }
}

extension CacheFile {
    private struct Writer {
        var bytes = Data()

        mutating func word(_ value: UInt64) {
            Swift.withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        mutating func number(_ value: Int) { word(UInt64(bitPattern: Int64(value))) }
        mutating func moment(_ value: Double) { word(value.bitPattern) }

        mutating func text(_ text: String) {
            number(text.utf8.count)
            bytes.append(contentsOf: text.utf8)
        }

        mutating func freshness(_ freshness: Freshness) {
            number((freshness.needsValidation ? 1 : 0) | (freshness.mustRevalidate ? 2 : 0))
            // An estimate is made anew by the reader, which may have another rule.
            moment(freshness.isHeuristic ? .nan : freshness.lifetime ?? .nan)
            for value in [
                freshness.initialAge, freshness.received, freshness.staleWhileRevalidate, freshness.staleIfError,
            ] { moment(value) }
        }

        mutating func response(_ response: StoredResponse) {
            number(response.status)
            moment(response.requested)
            freshness(response.freshness)
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
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position: Int

        /// Returns the places of the next bytes. `nil` if there are fewer.
        private mutating func take(_ count: Int) -> Range<Int>? {
            guard count >= 0, count <= bytes.count - position else { return nil }
            defer { position += count }
            return position..<position + count
        }

        mutating func word() -> UInt64? {
            take(8).map { place in
                bytes.withUnsafeBytes {
                    UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place.lowerBound, as: UInt64.self))
                }
            }
        }

        mutating func number() -> Int? { word().flatMap { Int(exactly: Int64(bitPattern: $0)) } }
        /// Reads seconds. `nil` for a number that no clock shows: it would fit neither an `Int` nor a header field.
        mutating func moment() -> Double? {
            word().map(Double.init(bitPattern:)).flatMap { abs($0) < 1e15 ? $0 : nil }
        }

        mutating func text() -> String? {
            guard let count = number(), let place = take(count) else { return nil }
            return String(utf8: bytes[place])
        }

        mutating func response(_ heuristic: CacheHeuristic, _ body: (Int) -> Data?) -> StoredResponse? {
            guard let status = number(), (200...999).contains(status), let requested = moment(),
                let freshness = freshness(), let fields = number(),
                let headers = pairs(fields, { $0.text() }), let names = number(),
                let varying = pairs(
                    names,
                    { reader in
                        reader.number().flatMap { $0 == 0 ? .some(nil) : reader.text().map(Optional.some) }
                    }),
                let range = text(), let count = number()
            else { return nil }
            let all = HTTPHeaders(lenient: headers.map { ($0.name, $0.value) })
            guard all.rejection == nil, range.isEmpty || ContentRange(range) != nil, let body = body(count)
            else { return nil }
            return StoredResponse(
                status: status, headers: all, body: body, range: ContentRange(range),
                varying: VaryingFields(varying),
                freshness: freshness.lifetime != nil
                    ? freshness
                    : Freshness(
                        status, all, requested: requested, received: freshness.received, heuristic: heuristic),
                requested: requested)
        }

        /// Reads a lifetime. NaN is written for none.
        private mutating func lifetime() -> Double?? {
            word().map(Double.init(bitPattern:)).flatMap { $0.isNaN ? .some(nil) : abs($0) < 1e15 ? $0 : nil }
        }

        private mutating func freshness() -> Freshness? {
            guard let flags = number(), let lifetime = lifetime(), let initialAge = moment(), let received = moment(),
                let staleWhileRevalidate = moment(), let staleIfError = moment()
            else { return nil }
            return Freshness(
                lifetime: lifetime, isHeuristic: false, initialAge: initialAge,
                received: received, needsValidation: flags & 1 != 0, mustRevalidate: flags & 2 != 0,
                staleWhileRevalidate: staleWhileRevalidate, staleIfError: staleIfError)
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
