import HalyardHTTP

/// Finds the heads of requests in what has come so far.
struct HeadReader: Sendable {
    /// How much of the inbox was searched already, so that a head in a thousand packets is searched once.
    private var searched = 0

    static let limit = 1 << 20

    /// Takes a head out of the inbox; `nil` where it is not complete yet.
    mutating func next(_ inbox: inout Inbox) throws(RequestFlaw) -> RequestHead? {
        skipEmptyLines(&inbox)
        // What cannot become a request is told at once: a TLS client would wait for the end of a head for ever.
        if let first = inbox.bytes.first, !ASCIISet.token.contains(first) {
            throw RequestFlaw("this is no HTTP request; this server speaks plain HTTP/1.1")
        }
        let end = end(in: inbox.bytes)
        guard (end?.total ?? inbox.count) <= Self.limit else {
            throw RequestFlaw("the head is larger than \(Self.limit) bytes", status: 431)
        }
        guard let end else { return nil }
        defer { inbox.consume(end.total) }
        return try RequestHead(inbox.bytes.prefix(end.lines))
    }

    /// Servers ignore empty lines before a request line (RFC 9112 section 2.2).
    private func skipEmptyLines(_ inbox: inout Inbox) {
        guard searched == 0 else { return }
        inbox.consume(inbox.bytes.prefix { $0 == .carriageReturn || $0 == .lineFeed }.count)
    }

    /// The length of the head without the empty line at its end, and with it.
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
