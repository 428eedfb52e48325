package import HalyardFoundation

/// Reads messages of HTTP/1.1 (RFC 9112) from bytes that arrive piece by piece: heads, and with ``Body`` their bodies.
package struct MessageReader: Sendable {
    /// A violation of RFC 9112.
    package struct Malformed: Error {
        package let reason: String
        /// Whether a head is larger than its limit.
        package let isTooLarge: Bool

        init(_ reason: String, isTooLarge: Bool = false) {
            self.reason = reason
            self.isTooLarge = isTooLarge
        }
    }

    /// A start line with the header fields.
    package struct Head: Sendable {
        package let startLine: ArraySlice<UInt8>
        package let headers: HTTPHeaders
        /// The number of bytes, with the empty line at the end.
        package let size: Int
    }

    private var storage: [UInt8] = []
    private var start = 0
    /// The number of bytes without the end of a head, so that a head in many pieces is searched once.
    private var searched = 0
    private let allowsBareLineFeeds: Bool

    /// Makes a reader without bytes. `allowsBareLineFeeds` says whether lines may end in LF alone, as recipients may
    /// allow (section 2.2).
    package init(allowsBareLineFeeds: Bool) { self.allowsBareLineFeeds = allowsBareLineFeeds }

    /// What has arrived and was not read.
    package var bytes: ArraySlice<UInt8> { storage[start...] }

    /// Adds bytes that have arrived.
    package mutating func append(_ bytes: some Sequence<UInt8>) {
        storage.removeFirst(start)
        start = 0
        storage.append(contentsOf: bytes)
    }

    /// Skips empty lines before a request line (section 2.2).
    package mutating func skipEmptyLines() {
        guard searched == 0 else { return }
        start += bytes.prefix { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }.count
    }

    /// Reads a head. Returns `nil` if it has not arrived. `limit` is the maximum number of its bytes.
    package mutating func head(limit: Int) throws(Malformed) -> Head? {
        let end = endOfHead()
        guard end ?? bytes.count <= limit else {
            throw Malformed("the head is larger than \(limit) bytes", isTooLarge: true)
        }
        guard let end else { return nil }
        defer { start += end }
        let lines = bytes.prefix(end).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var headers = HTTPHeaders()
        // The last two are the empty line, and nothing after it.
        for line in lines.dropFirst().dropLast(2) {
            let line = try withoutCarriageReturn(line)
            do throws(HTTPError) {
                headers.add(try line.withUnsafeBufferPointer(HTTPHeaders.Field.init(line:)))
            } catch { throw Malformed(error.reason ?? "") }
        }
        return Head(startLine: try withoutCarriageReturn(lines[0]), headers: headers, size: end)
    }

    /// The number of bytes of a head with the empty line. `nil` if that has not arrived.
    private mutating func endOfHead() -> Int? {
        var rest = bytes.dropFirst(searched)
        while let lineFeed = rest.firstIndex(of: UInt8(ascii: "\n")) {
            rest = rest[(lineFeed + 1)...]
            let isEmptyLine = rest.starts(with: "\r\n".utf8)
            guard isEmptyLine || rest.first == UInt8(ascii: "\n") else { continue }
            searched = 0
            return rest.startIndex - start + (isEmptyLine ? 2 : 1)
        }
        searched = max(0, bytes.count - 2)
        return nil
    }

    /// Reads a line. Returns `nil` if it has not arrived.
    private mutating func line(limit: Int) throws(Malformed) -> ArraySlice<UInt8>? {
        guard let lineFeed = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            guard bytes.count <= limit else { throw Malformed("a line is too long") }
            return nil
        }
        defer { start = lineFeed + 1 }
        return try withoutCarriageReturn(bytes[..<lineFeed])
    }

    private func withoutCarriageReturn(_ line: ArraySlice<UInt8>) throws(Malformed) -> ArraySlice<UInt8> {
        if line.last == UInt8(ascii: "\r") { return line.dropLast() }
        guard allowsBareLineFeeds else { throw Malformed("a line does not end in CR LF") }
        return line
    }
}

extension MessageReader {
    /// A body that is being read (RFC 9112 sections 6 and 7).
    package struct Body: Sendable {
        private enum State: Sendable {
            case bytes(Int, inChunk: Bool)
            case chunkEnd
            case size
            /// The number of bytes that the trailers may still have.
            case trailers(Int)
            case done
        }

        private var state: State
        /// The bytes that are read so far.
        package private(set) var data = Data()

        private static let lineLimit = 16 * 1024

        /// Makes a body with a number of bytes.
        package init(length: Int) { state = .bytes(length, inChunk: false) }

        private init(_ state: State) { self.state = state }

        /// A body in chunks, with trailers, which are skipped.
        package static let chunked = Body(.size)

        /// Takes the bytes of the body that have arrived. Returns whether the body is complete.
        package mutating func read(_ reader: inout MessageReader) throws(Malformed) -> Bool {
            while let next = try step(&reader) {
                state = next
                if case .done = next { return true }
            }
            return false
        }

        /// Returns the next state. `nil` if more bytes are needed.
        private mutating func step(_ reader: inout MessageReader) throws(Malformed) -> State? {
            switch state {
            case .done: return .done
            case .bytes(0, let inChunk): return inChunk ? .chunkEnd : .done
            case .bytes(let count, let inChunk):
                let part = reader.bytes.prefix(count)
                guard !part.isEmpty else { return nil }
                data.append(contentsOf: part)
                reader.start += part.count
                return .bytes(count - part.count, inChunk: inChunk)
            case .chunkEnd:
                guard let line = try reader.line(limit: 2) else { return nil }
                guard line.isEmpty else { throw Malformed("a chunk is longer than its size") }
                return .size
            case .size:
                guard let line = try reader.line(limit: Self.lineLimit) else { return nil }
                let size = try Self.size(line)
                return size == 0 ? .trailers(Self.lineLimit) : .bytes(size, inChunk: true)
            case .trailers(let rest):
                guard let line = try reader.line(limit: rest) else { return nil }
                guard line.count <= rest else { throw Malformed("the trailers are too long", isTooLarge: true) }
                return line.isEmpty ? .done : .trailers(rest - line.count)
            }
        }

        private static func size(_ line: ArraySlice<UInt8>) throws(Malformed) -> Int {
            let digits = String(
                decoding: line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }, as: UTF8.self)
            guard digits.consists(of: .alphanumerics), let size = Int(digits, radix: 16) else {
                throw Malformed("a chunk's size is not a number in hexadecimal digits")
            }
            return size
        }
    }
}
