import HalyardFoundation
import HalyardHTTP

/// Reads the response to the opening handshake (RFC 9112) from bytes that arrive piece by piece.
struct ResponseReader: Sendable {
    /// The maximum number of bytes of the body of a response that is no 101.
    static let bodyLimit = 64 << 10
    /// The maximum number of bytes of all heads together: of interim responses, and of the final one.
    private let headerLimit: Int
    private var heads = 0

    private(set) var status = 0
    private(set) var headers = HTTPHeaders()
    /// What has arrived and is not a part of a head. After a 101 these are the first frames.
    private(set) var rest: [UInt8] = []
    private(set) var isHeadComplete = false
    /// The number of bytes without the end of a head, so that a head in many pieces is searched once.
    private var searched = 0

    init(headerLimit: Int) { self.headerLimit = headerLimit }

    /// Adds bytes.
    ///
    /// - Returns: Whether the response is complete: the head of a 101, or the whole of another response.
    /// - Throws: ``HTTPError`` of kind `invalidResponse` or `headersTooLarge`.
    mutating func add(_ bytes: Data) throws(HTTPError) -> Bool {
        rest.append(contentsOf: bytes)
        while !isHeadComplete {
            guard let end = rest.endOfHead(after: searched) else {
                searched = max(0, rest.count - 3)
                try countHeads(with: rest.count)
                return false
            }
            try countHeads(with: end)
            heads += end
            try parse(rest[..<end])
            rest.removeFirst(end)
            searched = 0
            // Other interim responses may precede the final one (RFC 9110 section 15.2).
            isHeadComplete = status >= 200 || status == 101
        }
        return status == 101 || isBodyComplete
    }

    private func countHeads(with count: Int) throws(HTTPError) {
        guard count <= headerLimit - heads else { throw HTTPError(.headersTooLarge(limit: headerLimit)) }
    }

    private mutating func parse(_ head: ArraySlice<UInt8>) throws(HTTPError) {
        headers = HTTPHeaders()
        var lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        try parseStatus(lines.removeFirst().withoutCarriageReturn)
        for line in lines.map(\.withoutCarriageReturn) where !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw HTTPError(.invalidResponse, reason: "a header line has no colon")
            }
            let (name, value) = (Array(line[..<colon]), Array(line[(colon + 1)...]))
            let field = name.withUnsafeBufferPointer { name in
                value.withUnsafeBufferPointer { value in
                    Result { () throws(HTTPError) in try HTTPHeaders.Field(name: name, value: value) }
                }
            }
            do throws(HTTPError) { headers.add(try field.get()) } catch {
                throw HTTPError(.invalidResponse, reason: "a header field is not valid: \(error.reason ?? "its name")")
            }
        }
    }

    private mutating func parseStatus(_ line: ArraySlice<UInt8>) throws(HTTPError) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard line.starts(with: "HTTP/1.".utf8), parts.count >= 2, parts[1].count == 3,
            parts[1].allSatisfy(ASCIISet.digits.contains)
        else { throw HTTPError(.invalidResponse, reason: "it does not begin with a status line of HTTP/1.1") }
        status = parts[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard status >= 100 else { throw HTTPError(.invalidResponse, reason: "the status is \(status)") }
    }
}

// The body of a response that is no 101. It may explain the error, so its start is kept.
extension ResponseReader {
    private var isChunked: Bool { headers["Transfer-Encoding"]?.lowercased().hasSuffix("chunked") ?? false }

    private var length: Int? {
        if status == 204 || status == 304 { return 0 }
        return headers[.contentLength].flatMap { Int($0) }
    }

    private var isBodyComplete: Bool {
        if rest.count >= Self.bodyLimit { return true }
        if isChunked { return rest.suffix(4).elementsEqual("\r\n\r\n".utf8) && chunks.isComplete }
        return length.map { rest.count >= $0 } ?? false
    }

    /// The start of the body.
    var body: Data {
        let body = isChunked ? chunks.body : Array(rest.prefix(max(0, length ?? .max)))
        return Data(body.prefix(Self.bodyLimit))
    }

    /// The chunks that have arrived (RFC 9112 section 7.1).
    private var chunks: (body: [UInt8], isComplete: Bool) {
        var (body, left) = ([UInt8](), rest[...])
        while let end = left.firstIndex(of: UInt8(ascii: "\n")) {
            let digits = left[..<end].prefix { ASCIISet.hexDigits.contains($0) }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size > 0 else {
                return (body, true)
            }
            left = left[(end + 1)...]
            body += left.prefix(size)
            guard left.count >= 2, left.count - 2 >= size else { break }
            left = left.dropFirst(size + 2)
        }
        return (body, false)
    }
}

extension [UInt8] {
    /// The position after the empty line that ends a head. `nil` if it has not arrived.
    fileprivate func endOfHead(after start: Int) -> Int? {
        var index = start
        while let lineFeed = self[index...].firstIndex(of: UInt8(ascii: "\n")) {
            index = lineFeed + 1
            let next = self[index...].prefix(2)
            if next.first == UInt8(ascii: "\n") { return index + 1 }
            if next.elementsEqual("\r\n".utf8) { return index + 2 }
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate var withoutCarriageReturn: Self { last == UInt8(ascii: "\r") ? dropLast() : self }
}
