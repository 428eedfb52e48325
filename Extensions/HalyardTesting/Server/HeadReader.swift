import HalyardHTTP

/// Finds the heads of requests in the received bytes.
struct HeadReader: Sendable {
    /// The number of bytes that were searched already, so that a head in many packets is searched once.
    private var searched = 0

    static let limit = 1 << 20

    /// Takes a head from the inbox. Returns `nil` if it is not complete.
    mutating func next(_ inbox: inout Inbox) throws(MalformedRequest) -> RequestHead? {
        skipEmptyLines(&inbox)
        // Bytes that cannot begin a request are refused at once. A TLS client would wait for a reply forever.
        if let first = inbox.bytes.first, !ASCIISet.token.contains(first) {
            throw MalformedRequest("this is not an HTTP request; this server has HTTP/1.1 without TLS")
        }
        let end = end(in: inbox.bytes)
        guard (end?.total ?? inbox.count) <= Self.limit else {
            throw MalformedRequest("the head is larger than \(Self.limit) bytes", status: 431)
        }
        guard let end else { return nil }
        defer { inbox.consume(end.total) }
        return try RequestHead(inbox.bytes.prefix(end.lines))
    }

    /// Skips empty lines before a request line (RFC 9112 section 2.2).
    private func skipEmptyLines(_ inbox: inout Inbox) {
        guard searched == 0 else { return }
        inbox.consume(inbox.bytes.prefix { $0 == .carriageReturn || $0 == .lineFeed }.count)
    }

    /// Returns the length of the head without and with the empty line at its end.
    private mutating func end(in bytes: ArraySlice<UInt8>) -> (lines: Int, total: Int)? {
        var rest = bytes.dropFirst(searched)
        while let lineFeed = rest.firstIndex(of: .lineFeed) {
            rest = rest[(lineFeed + 1)...]
            let length = rest.startIndex - bytes.startIndex
            let isEmptyLine = rest.starts(with: [.carriageReturn, .lineFeed])
            guard isEmptyLine || rest.first == .lineFeed else { continue }
            searched = 0
            return (length, length + (isEmptyLine ? 2 : 1))
        }
        searched = max(0, bytes.count - 2)
        return nil
    }
}
