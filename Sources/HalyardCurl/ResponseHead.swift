import HalyardHTTP

/// Status line and header fields, read line by line as libcurl hands them over.
struct ResponseHead {
    private(set) var status = 0
    private(set) var headers = HTTPHeaders()
    private(set) var isComplete = false
    private var last: (name: String, value: String)?

    /// Takes one line, with or without its line break.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidResponse`, with what is wrong in the line.
    mutating func read(line: UnsafeRawBufferPointer) throws(HTTPError) {
        let line = line.withoutLineBreak
        if line.starts(with: "HTTP/".utf8) && (isComplete || status == 0) { return try begin(line) }
        if isComplete { return }  // trailers
        if line.isEmpty { return try finish() }
        if line.startsWithBlank, let folded = last {
            // Obsolete line folding (RFC 9112 section 5.2): one blank stands for the break.
            last = (folded.name, folded.value + " " + line.trimmingBlanks.text)
            return
        }
        try keepLast()
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw invalid("a header line has no colon")
        }
        let (name, value) = (line[..<colon], line[(colon + 1)...])
        last = (
            UnsafeRawBufferPointer(rebasing: name).text, UnsafeRawBufferPointer(rebasing: value).trimmingBlanks.text
        )
    }

    /// A status line starts the head anew: what came before was a 1xx, which is no response.
    private mutating func begin(_ line: UnsafeRawBufferPointer) throws(HTTPError) {
        self = ResponseHead()
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count >= 2, words[1].count == 3, words[1].allSatisfy(ASCIISet.digits.contains) else {
            throw invalid("the status is not three digits")
        }
        status = words[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard status >= 100 else { throw invalid("the status is \(status)") }
    }

    private mutating func finish() throws(HTTPError) {
        try keepLast()
        isComplete = true
    }

    private mutating func keepLast() throws(HTTPError) {
        guard let (name, value) = last else { return }
        last = nil
        do { try headers.add(value, for: name) } catch {
            throw invalid("the header \(name.quoted): \(error.reason ?? "")")
        }
    }

    /// Whether this is the response itself, not a 1xx that precedes it.
    var isFinal: Bool { isComplete && status >= 200 }

    /// The length that the server announced, in bytes.
    var contentLength: Int? { headers[.contentLength].flatMap { Int($0) } }

    private func invalid(_ reason: String) -> HTTPError { HTTPError(.invalidResponse, reason: reason) }
}

extension UnsafeRawBufferPointer {
    fileprivate var withoutLineBreak: UnsafeRawBufferPointer {
        var end = count
        if end > 0, self[end - 1] == 0x0A { end -= 1 }
        if end > 0, self[end - 1] == 0x0D { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[..<end])
    }

    fileprivate var startsWithBlank: Bool { first == 0x20 || first == 0x09 }

    fileprivate var trimmingBlanks: UnsafeRawBufferPointer {
        var (start, end) = (0, count)
        while start < end, self[start] == 0x20 || self[start] == 0x09 { start += 1 }
        while end > start, self[end - 1] == 0x20 || self[end - 1] == 0x09 { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[start..<end])
    }

    /// UTF-8, or ISO-8859-1 where it is not: so nothing that a server sends in a header is lost.
    fileprivate var text: String {
        String(validating: self, as: UTF8.self) ?? String(String.UnicodeScalarView(map { Unicode.Scalar($0) }))
    }
}
