import HalyardHTTP

/// Status line, header fields and trailers, read line by line as libcurl hands them over.
struct ResponseHead {
    private(set) var status = 0
    private(set) var headers = HTTPHeaders()
    private(set) var trailers = HTTPHeaders()
    /// The 1xx responses that came first.
    private(set) var informational: [HTTPResponse.Informational] = []
    private(set) var isComplete = false
    /// The length that the server announced, in bytes.
    private(set) var contentLength: Int64?
    private var last: (name: String, value: String)?
    private var size = 0
    private let limit: Int

    private static let informationalLimit = 16

    /// - Parameter limit: the most bytes of all lines together.
    init(limit: Int) { self.limit = limit }

    /// Takes one line, with or without its line break.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidResponse`, with what is wrong in the line, or `headersTooLarge`.
    mutating func read(line: UnsafeRawBufferPointer) throws(HTTPError) {
        size += line.count
        guard size <= limit else { throw HTTPError(.headersTooLarge(limit: limit)) }
        let line = line.withoutLineBreak
        if !isFinal && (isComplete || status == 0) { return try begin(line) }
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

    /// A status line begins a response anew: what came before was a 1xx.
    private mutating func begin(_ line: UnsafeRawBufferPointer) throws(HTTPError) {
        if status != 0 && informational.count < Self.informationalLimit {
            informational.append(HTTPResponse.Informational(status: status, headers: headers))
        }
        (headers, isComplete) = (HTTPHeaders(), false)
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard line.starts(with: "HTTP/".utf8), words.count >= 2, words[1].count == 3,
            words[1].allSatisfy(ASCIISet.digits.contains)
        else { throw invalid("the status is not three digits") }
        status = words[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard status >= 100 else { throw invalid("the status is \(status)") }
    }

    private mutating func finish() throws(HTTPError) {
        try keepLast()
        guard !isComplete else { return }  // the end of the trailers
        isComplete = true
        if isFinal { try readContentLength() }
    }

    /// Ends the trailers, which need no blank line.
    mutating func finishTrailers() throws(HTTPError) { try keepLast() }

    private mutating func keepLast() throws(HTTPError) {
        guard let (name, value) = last else { return }
        last = nil
        do {
            if isComplete { try trailers.add(value, for: name) } else { try headers.add(value, for: name) }
        } catch {
            throw invalid("the header \(name.quoted): \(error.reason ?? "")")
        }
    }

    /// Two that differ, or one that is no number, would leave open where the response ends (RFC 9112 section 6.3).
    private mutating func readContentLength() throws(HTTPError) {
        guard headers.contains("Content-Length") else { return }
        for value in headers.values(for: "Content-Length").flatMap({
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }) {
            let digits = value.filter { $0 != " " && $0 != "\t" }
            guard digits.utf8.allSatisfy(ASCIISet.digits.contains), let length = Int64(digits) else {
                throw invalid("its Content-Length is \(String(value).quoted)")
            }
            guard contentLength == nil || contentLength == length else { throw invalid("its Content-Lengths differ") }
            contentLength = length
        }
    }

    /// Whether this is the response itself, not a 1xx that precedes it.
    var isFinal: Bool { isComplete && status >= 200 }

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
