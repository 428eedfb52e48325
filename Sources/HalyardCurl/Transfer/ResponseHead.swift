import HalyardHTTP

/// Parses the status line, the header fields and the trailers, line by line as libcurl delivers them.
struct ResponseHead {
    private(set) var status = 0
    private(set) var headers: HTTPHeaders
    private(set) var trailers = HTTPHeaders()
    /// The 1xx responses before the final one, at most 16.
    private(set) var informational: [(status: Int, headers: HTTPHeaders)] = []
    private(set) var isComplete = false
    /// The protocol of the connection.
    var connection: Connection
    /// Whether a status line over HTTP/1.1 said HTTP/2 or HTTP/3.
    private(set) var hasFalseVersion = false
    /// The value of `Content-Length`, in bytes.
    private(set) var contentLength: Int64?
    /// The transfer codings other than chunked, in lower case. `nil` for none.
    var transferCoding: String? {
        let codings = headers.values(for: "Transfer-Encoding").flatMap(HTTPHeaders.codings).filter { $0 != "chunked" }
        return codings.isEmpty ? nil : codings.joined(separator: ", ")
    }
    private var size = 0
    let limit: Int

    /// What is known of a connection's protocol.
    enum Connection {
        case http1
        /// HTTP/2 or HTTP/3.
        case multiplexed
        /// HTTP/2 or HTTP/3 was offered, and libcurl does not say whether it is used.
        case unknown
    }

    /// Makes an empty head.
    ///
    /// - Parameters:
    ///   - headers: Empty header fields, with storage.
    ///   - limit: The maximum size of all lines together, in bytes.
    ///   - connection: The protocol of the connection. libcurl makes up a status line for HTTP/2 and HTTP/3.
    init(_ headers: consuming HTTPHeaders, limit: Int, connection: Connection = .unknown) {
        self.headers = headers
        self.limit = limit
        self.connection = connection
    }

    /// Parses one line, with or without its line break. `memory` has the last field of each place. Throws ``HTTPError`` of
    /// kind `invalidResponse` or `headersTooLarge`.
    mutating func read(line: UnsafeRawBufferPointer, _ memory: inout FieldMemory) throws(HTTPError) {
        size += line.count
        guard size <= limit else { throw HTTPError(.headersTooLarge(limit: limit)) }
        let line = line.bindMemory(to: UInt8.self).withoutLineBreak
        if expectsStatusLine { return try readStatusLine(line) }
        if line.isEmpty {
            // After the head, this line ends the trailers.
            if !isComplete { contentLength = try headers.statedLength() }
            return isComplete = true
        }
        if line[0].isBlank {
            let isContinued = try isComplete ? trailers.continueLast(line) : headers.continueLast(line)
            guard !isContinued else { return }
            throw isComplete ? invalid("its first trailer line is folded") : Self.leadingFoldError
        }
        if isComplete {
            trailers.add(try HTTPHeaders.Field(line: line))
        } else {
            headers.add(try memory.field(line, at: headers.count))
        }
    }

    /// The error for a response that begins with a folded line, which continues no other.
    static let leadingFoldError = HTTPError(.invalidResponse, reason: "its first header line is folded")

    /// The error for a response over HTTP/1.1 whose status line says HTTP/2 or HTTP/3.
    private static let falseVersionError = HTTPError(
        .invalidResponse, reason: "its status line says HTTP/2 or HTTP/3, but the connection uses HTTP/1.1")

    /// Whether the next line is a status line.
    var expectsStatusLine: Bool { !isFinal && (isComplete || status == 0) }

    /// Parses a status line. If there is a head already, it belongs to a 1xx response.
    private mutating func readStatusLine(_ line: UnsafeBufferPointer<UInt8>) throws(HTTPError) {
        if status != 0 {
            if informational.count < 16 { informational.append((status, headers)) }
            (headers, isComplete) = (HTTPHeaders(), false)
        }
        let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        guard digits.count == 3, digits.allSatisfy(ASCIISet.digits.contains) else {
            throw invalid("the status is not three digits")
        }
        try readVersion(line)
        status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard status >= 100 else { throw invalid("the status is \(status)") }
        // Halyard's requests ask for no other protocol. What follows would not be HTTP.
        guard status != 101 else { throw invalid("it switches to another protocol, which was not requested") }
    }

    /// Checks the version of a status line.
    ///
    /// libcurl takes a connection for what the status line says. So a server of HTTP/1.1 that says HTTP/2 must not go
    /// unnoticed: other requests would be sent over its connection before it has answered this one.
    private mutating func readVersion(_ line: UnsafeBufferPointer<UInt8>) throws(HTTPError) {
        if line.starts(withASCII: "HTTP/1.1 ") || line.starts(withASCII: "HTTP/1.0 ") { return }
        isHTTP3 = line.starts(withASCII: "HTTP/3 ")
        guard isHTTP3 || line.starts(withASCII: "HTTP/2 ") || line.starts(withASCII: "HTTP/2.0 ") else {
            throw invalid("it does not begin with a version of HTTP")
        }
        // The line that libcurl makes up ends with one space.
        if connection == .unknown, line.count == 11, line[10] == UInt8(ascii: " ") { connection = .multiplexed }
        hasFalseVersion = connection != .multiplexed
        if hasFalseVersion { throw Self.falseVersionError }
    }

    /// Whether the response came over HTTP/3.
    private(set) var isHTTP3 = false
    /// Whether the response came over HTTP/2 or HTTP/3.
    var isMultiplexed: Bool { connection == .multiplexed && status != 0 }

    /// Whether the head is complete and belongs to a 1xx response.
    var isInterim: Bool { isComplete && status < 200 }

    /// Whether the head is complete and belongs to the final response, not to a 1xx response.
    var isFinal: Bool { isComplete && status >= 200 }

    private func invalid(_ reason: String) -> HTTPError { HTTPError(.invalidResponse, reason: reason) }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var withoutLineBreak: Self {
        var end = count
        if end > 0, self[end - 1] == 0x0A { end -= 1 }
        if end > 0, self[end - 1] == 0x0D { end -= 1 }
        return Self(rebasing: self[..<end])
    }
}
