import HalyardFoundation
import HalyardHTTP

extension MockResponse {
    /// A response as a client receives it, from the server or from a stub.
    struct Message {
        var status: Int
        var headers: HTTPHeaders
        /// The chunks of the body, a single one unless `isChunked`. `nil` if the method or status allows no body.
        var chunks: [Data]?
        var isChunked = false

        var body: Data { Data((chunks ?? []).joined()) }
    }

    /// Returns the response to a request. `nil` for raw bytes.
    func message(to method: HTTPMethod, chunking: Bool = true) -> Message? {
        var message = Message(status: status, headers: headers)
        switch content {
        case .raw: return nil
        case .data(let data): message.chunks = [data]
        case .chunks(let chunks) where chunking:
            message.chunks = chunks.filter { !$0.isEmpty }
            message.isChunked = true
        case .chunks(let chunks): message.chunks = [Data(chunks.joined())]
        }
        let statusAllowsBody = status >= 200 && status != 204 && status != 304
        if statusAllowsBody { message.addFraming() }
        if closesConnection { message.headers["Connection"] = "close" }
        if !statusAllowsBody || method == .head { message.chunks = nil }
        return message
    }

    /// Returns the response after checking its header fields.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidHeader` for a header field that cannot be sent.
    func checked() throws(HTTPError) -> MockResponse {
        guard let rejection = headers.rejection else { return self }
        throw HTTPError(
            rejection.kind, reason: rejection.reason, suggestion: "Correct the headers of the MockResponse")
    }
}

extension MockResponse.Message {
    fileprivate mutating func addFraming() {
        guard !headers.contains("Transfer-Encoding"), !headers.contains("Content-Length") else { return }
        if isChunked {
            headers["Transfer-Encoding"] = "chunked"
        } else {
            headers[.contentLength] = String((chunks ?? []).reduce(0) { $0 + $1.count })
        }
    }

    /// Whether the header fields say that the connection closes after this message.
    var closesConnection: Bool { headers.values(for: "Connection").contains { $0.equalsIgnoringASCIICase("close") } }

    /// Returns the bytes of the message, in pieces for one write each. A small message is one piece.
    func pieces() -> [Data] {
        var pieces: [Data] = []
        var piece = head
        for chunk in chunks ?? [] {
            if isChunked { piece.append(Self.chunkHead(of: chunk.count)) }
            if piece.count + chunk.count > Self.pieceSize {
                pieces += [piece, chunk]
                piece = Data()
            } else {
                piece.append(chunk)
            }
            if isChunked { piece.append(contentsOf: "\r\n".utf8) }
        }
        if isChunked, chunks != nil { piece.append(contentsOf: "0\r\n\r\n".utf8) }
        return piece.isEmpty ? pieces : pieces + [piece]
    }

    /// Returns the bytes of the message, in one piece for the head and one for each chunk.
    func piecesOfChunks() -> [Data] {
        guard isChunked, let chunks else { return pieces() }
        let framed = chunks.map { Self.chunkHead(of: $0.count) + $0 + Data("\r\n".utf8) }
        return [head] + framed.dropLast() + [(framed.last ?? Data()) + Data("0\r\n\r\n".utf8)]
    }

    /// Returns the head and the first bytes of the body, as a connection that breaks off sends them.
    func pieces(of count: Int) -> [Data] {
        let start = Data(body.prefix(count))
        guard isChunked else { return [head + start] }
        // The chunk is longer than what follows.
        return [head + Self.chunkHead(of: start.count + 1) + start]
    }

    private var head: Data {
        var text = "HTTP/1.1 \(status) \(HTTPResponse.reasonPhrase(for: status) ?? "Unknown")\r\n"
        for field in headers { text += "\(field.name.rawValue): \(field.value)\r\n" }
        text += "\r\n"
        return Data(text.utf8)
    }

    /// Returns the line before a chunk (RFC 9112 section 7.1).
    private static func chunkHead(of count: Int) -> Data { Data("\(String(count, radix: 16))\r\n".utf8) }

    private static let pieceSize = 64 * 1024
}
