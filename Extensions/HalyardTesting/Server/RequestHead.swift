import HalyardHTTP

/// The reason why a request is refused, with its status.
struct MalformedRequest: Error {
    let status: Int
    let reason: String

    init(_ reason: String, status: Int = 400) {
        self.reason = reason
        self.status = status
    }

    init(_ message: MessageReader.Malformed) { self.init(message.reason, status: message.isTooLarge ? 431 : 400) }
}

/// A request line with its header fields (RFC 9112 sections 3 to 6), and their meaning for body and connection.
struct RequestHead: Sendable {
    let method: HTTPMethod
    let target: String
    let isHTTP10: Bool
    let headers: HTTPHeaders
    /// The body, of which nothing is read.
    let body: MessageReader.Body
    let keepsAlive: Bool
    let expectsContinue: Bool

    private static let limit = 1 << 20

    /// Reads a head. Returns `nil` if it has not arrived.
    ///
    /// It is stricter than many servers, because it tests clients.
    init?(_ reader: inout MessageReader) throws(MalformedRequest) {
        reader.skipEmptyLines()
        // Bytes that cannot begin a request are refused at once. A TLS client would wait for a reply forever.
        if let first = reader.bytes.first, !ASCIISet.token.contains(first) {
            throw MalformedRequest("this is not an HTTP request; this server has HTTP/1.1 without TLS")
        }
        let head: MessageReader.Head?
        do throws(MessageReader.Malformed) { head = try reader.head(limit: Self.limit) } catch {
            throw MalformedRequest(error)
        }
        guard let head else { return nil }
        (method, target, isHTTP10) = try Self.requestLine(head.startLine)
        headers = head.headers
        guard isHTTP10 || headers.values(for: "Host").count == 1 else {
            throw MalformedRequest("there is not exactly one Host field")
        }
        let body = try Self.body(headers)
        self.body = body ?? MessageReader.Body(length: 0)
        keepsAlive = !isHTTP10 && !headers.list("Connection").contains("close")
        expectsContinue = !isHTTP10 && body != nil && headers.list("Expect").contains("100-continue")
    }

    private static func requestLine(
        _ line: ArraySlice<UInt8>
    ) throws(MalformedRequest) -> (method: HTTPMethod, target: String, isHTTP10: Bool) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw MalformedRequest("the request line is not `METHOD target HTTP/1.1`") }
        guard let method = try? HTTPMethod(String(decoding: parts[0], as: UTF8.self)) else {
            throw MalformedRequest("the method is not a token")
        }
        guard !parts[1].isEmpty, parts[1].allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw MalformedRequest("the request target is empty or has a character that must be percent-encoded")
        }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
            let isOther = version.hasPrefix("HTTP/")
            throw MalformedRequest("the version is not HTTP/1.1 or HTTP/1.0", status: isOther ? 505 : 400)
        }
        return (method, String(decoding: parts[1], as: UTF8.self), version == "HTTP/1.0")
    }

    private static func body(_ headers: HTTPHeaders) throws(MalformedRequest) -> MessageReader.Body? {
        let (codings, lengths) = (headers.values(for: "Transfer-Encoding"), headers.values(for: "Content-Length"))
        guard codings.isEmpty || lengths.isEmpty else {
            throw MalformedRequest("there are both Transfer-Encoding and Content-Length")
        }
        if let coding = codings.first {
            guard codings.count == 1, coding.equalsIgnoringASCIICase("chunked") else {
                throw MalformedRequest("the only transfer coding that is read is chunked", status: 501)
            }
            return .chunked
        }
        guard let length = lengths.first else { return nil }
        guard lengths.count == 1, length.consists(of: .digits), let count = Int(length) else {
            throw MalformedRequest("Content-Length is not one number")
        }
        return count == 0 ? nil : MessageReader.Body(length: count)
    }
}
