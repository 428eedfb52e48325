public import Halyard
public import HalyardFoundation
import HalyardHTTP

// Responses that only a connection can have, and faults of the network at any byte of a response. The bytes count from
// the first byte of the status line.
//
// The server adds `Content-Length` or `Transfer-Encoding`, unless the header fields have one. A wrong length is sent as
// it is. No `Date` is sent, so that a response is the same bytes every time.
extension StubResponse {
    /// Returns bytes that a ``LoopbackServer`` writes unchanged before it closes the connection. Use it for broken
    /// responses. A ``StubTransport`` has no connection and throws an error.
    ///
    /// ```swift
    /// server.on(.get, "/broken", .raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"))
    /// ```
    public static func raw(_ bytes: Data) -> StubResponse { StubResponse(.raw(bytes), status: 0) }

    /// Returns text that a ``LoopbackServer`` writes unchanged before it closes the connection. See ``raw(_:)``.
    public static func raw(_ text: String) -> StubResponse { raw(Data(text.utf8)) }

    /// Returns the same response with `Connection: close`. The server then closes the connection.
    public func closingConnection() -> StubResponse {
        var copy = self
        copy.closesConnection = true
        return copy
    }

    /// Returns the same response, but resets the connection after some of its bytes. The client may lose bytes that
    /// were sent before. A ``StubTransport`` throws `HTTPError.connectionLost` in place of the response.
    ///
    /// - Parameter count: The number of bytes of the head and the body before the reset.
    public func resetting(after count: Int = 0) -> StubResponse {
        faulted { ($0.byteCount, $0.end) = (max(0, count), .reset) }
    }

    /// Returns the same response, but stops after some of its bytes and keeps the connection open until the client
    /// closes it or the server stops. A ``StubTransport`` returns nothing until the request times out or is cancelled.
    ///
    /// - Parameter count: The number of bytes of the head and the body to send first.
    public func stalling(after count: Int = 0) -> StubResponse {
        faulted { ($0.byteCount, $0.end) = (max(0, count), .stall) }
    }

    /// Returns the same response, but ends the server's side of the connection after some of its bytes and keeps the
    /// other side open until the client closes it or the server stops. With TLS, there is no close_notify. A
    /// ``StubTransport`` throws `HTTPError.connectionLost` in place of the response.
    ///
    /// - Parameter count: The number of bytes of the head and the body to send first.
    public func halfClosing(after count: Int = 0) -> StubResponse {
        faulted { ($0.byteCount, $0.end) = (max(0, count), .halfClose) }
    }

    /// Returns the same response, but sends it slowly. A ``StubTransport`` returns it at once; for a timed body, see
    /// ``chunked(_:every:status:headers:)``.
    ///
    /// - Parameter bytesPerSecond: The number of bytes of the head and the body to send per second, at least one.
    public func throttled(to bytesPerSecond: Int) -> StubResponse { faulted { $0.rate = max(1, bytesPerSecond) } }

    private func faulted(_ change: (inout WireFault) -> Void) -> StubResponse {
        var copy = self
        var fault = copy.fault ?? WireFault()
        change(&fault)
        copy.fault = fault
        return copy
    }
}

extension StubResponse {
    /// Returns the response with the header fields that a server adds. `chunking` says whether the client supports
    /// chunks, which are joined otherwise.
    func framed(chunking: Bool = true) -> StubResponse {
        var framed = self
        if !chunking, case .chunks(let chunks) = content { framed.content = .data(Data(chunks.map(\.data).joined())) }
        if closesConnection { framed.headers["Connection"] = "close" }
        guard allowsBody, !headers.contains("Transfer-Encoding"), !headers.contains("Content-Length") else {
            return framed
        }
        if case .data(let data) = framed.content { framed.headers[.contentLength] = String(data.count) }
        if framed.isChunked { framed.headers["Transfer-Encoding"] = "chunked" }
        return framed
    }

    private var isChunked: Bool { if case .chunks = content { true } else { false } }

    /// Whether the header fields say that the connection closes after this response.
    var saysClose: Bool { headers.list("Connection").contains("close") }

    /// Returns the bytes of the response in pieces for one write each, with the time before each piece. A small response
    /// is one piece, unless there is time between its chunks.
    func pieces(to method: HTTPMethod) -> [Chunk] {
        var pieces: [Chunk] = []
        var piece = Chunk(head)
        for chunk in body(to: method) ?? [] {
            if chunk.wait > .zero {
                pieces.append(piece)
                piece = Chunk(Data(), after: chunk.wait)
            }
            if isChunked { piece.data.append(Self.chunkHead(of: chunk.data.count)) }
            if piece.data.count + chunk.data.count > Self.pieceSize {
                pieces += [piece, Chunk(chunk.data)]
                piece = Chunk(Data())
            } else {
                piece.data.append(chunk.data)
            }
            if isChunked { piece.data.append(contentsOf: "\r\n".utf8) }
        }
        if isChunked, body(to: method) != nil { piece.data.append(contentsOf: "0\r\n\r\n".utf8) }
        return piece.data.isEmpty ? pieces : pieces + [piece]
    }

    /// Returns the head and the first bytes of the body, as a connection that breaks off sends them.
    func start(of count: Int, to method: HTTPMethod) -> Data {
        let start = Data((body(to: method) ?? []).map(\.data).joined().prefix(count))
        // The chunk is longer than what follows.
        return isChunked ? head + Self.chunkHead(of: start.count + 1) + start : head + start
    }

    private var head: Data {
        var text = "HTTP/1.1 \(status) \(HTTPResponse.reasonPhrase(for: status) ?? "Unknown")\r\n"
        for field in headers { text += "\(field.name.rawValue): \(field.value)\r\n" }
        return Data((text + "\r\n").utf8)
    }

    /// Returns the line before a chunk (RFC 9112 section 7.1).
    private static func chunkHead(of count: Int) -> Data { Data("\(String(count, radix: 16))\r\n".utf8) }

    private static let pieceSize = 64 * 1024
}
