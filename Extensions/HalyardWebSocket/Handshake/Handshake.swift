import HalyardFoundation
import HalyardHTTP

/// The opening handshake of a client (RFC 6455 section 4.1): the bytes of the request, and the check of the response.
struct Handshake: Sendable {
    let subprotocols: [String]
    /// 16 random bytes in base64. Each connection has its own.
    var key = Self.randomKey()

    private static func randomKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return Data((0..<2).flatMap { _ in generator.next().bigEndianBytes }).base64EncodedString()
    }

    /// The value of `Sec-WebSocket-Accept` that answers a key.
    static func accept(for key: String) -> String {
        Data(SHA1Digest.hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
    }

    /// Checks that a request can begin a WebSocket, and the subprotocols. Throws ``HTTPError`` of kind `invalidMethod`,
    /// `encoding` or `invalidHeader`.
    func check(_ request: HTTPRequest) throws(HTTPError) {
        guard request.method == .get else {
            throw HTTPError(
                .invalidMethod(request.method.rawValue), reason: "a WebSocket begins with GET",
                suggestion: "Use a route with the method GET", request: request)
        }
        guard request.body == nil else {
            throw HTTPError(
                .encoding("the body"), reason: "a WebSocket begins with a request without a body",
                suggestion: "Send the values as a query, or in the first message", request: request)
        }
        if let field = request.headers.first(where: { $0.name.rawValue.lowercased().hasPrefix("sec-websocket-") }) {
            throw HTTPError(
                .invalidHeader(field.name.rawValue), reason: "the handshake sets it",
                suggestion: "Leave it out; subprotocols are a parameter of webSocket(_:subprotocols:options:)",
                request: request)
        }
        for name in subprotocols where name.isEmpty || !name.utf8.allSatisfy(ASCIISet.token.contains) {
            throw HTTPError(
                .invalidHeader("Sec-WebSocket-Protocol"),
                reason: "the subprotocol \(name.debugDescription) is no token",
                suggestion: "Use letters, digits, and -._", request: request)
        }
        guard Set(subprotocols).count == subprotocols.count else {
            throw HTTPError(
                .invalidHeader("Sec-WebSocket-Protocol"), reason: "a subprotocol is offered twice", request: request)
        }
    }

    func head(of request: HTTPRequest) -> [UInt8] {
        var head = "GET \(request.address.requestTarget) HTTP/1.1\r\n"
        func add(_ name: String, _ value: String) { head += "\(name): \(value)\r\n" }
        if !request.headers.contains("Host") { add("Host", request.origin.authority) }
        for field in request.headers { add(field.name.rawValue, field.value) }
        add("Upgrade", "websocket")
        add("Connection", "Upgrade")
        add("Sec-WebSocket-Key", key)
        add("Sec-WebSocket-Version", "13")
        if !subprotocols.isEmpty { add("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")) }
        return Array((head + "\r\n").utf8)
    }

    /// Checks a response with the status 101. Returns the subprotocol that the server has chosen; `nil` for none.
    /// Throws ``HTTPError`` of kind `invalidResponse`.
    func subprotocol(in response: HTTPResponse) throws(HTTPError) -> String? {
        func invalid(_ reason: String, _ suggestion: String? = nil) -> HTTPError {
            HTTPError(.invalidResponse, reason: reason, suggestion: suggestion, response: response)
        }
        let headers = response.headers
        guard headers.list("Upgrade").contains("websocket"), headers.list("Connection").contains("upgrade") else {
            throw invalid("the server switched to another protocol than WebSocket")
        }
        guard headers.values(for: "Sec-WebSocket-Accept") == [Self.accept(for: key)] else {
            throw invalid(
                "Sec-WebSocket-Accept does not fit the key of the request",
                "A cache or a proxy may have answered: check what is between")
        }
        guard headers.list("Sec-WebSocket-Extensions").isEmpty else {
            throw invalid("the server uses an extension that was not offered")
        }
        let chosen = headers.values(for: "Sec-WebSocket-Protocol")
        guard chosen.count <= 1, chosen.allSatisfy(subprotocols.contains) else {
            throw invalid("the server chose the subprotocol \(chosen.joined(separator: ", ")), which was not offered")
        }
        return chosen.first
    }
}

extension Origin {
    /// Host and port, without the port of the scheme.
    fileprivate var authority: String { String(description.dropFirst(scheme.count + 3)) }
}

extension AbsoluteURL {
    /// Path and query (RFC 9112 section 3.2.1).
    fileprivate var requestTarget: String {
        let authority = text.utf8.dropFirst(text.prefix { $0 != ":" }.utf8.count + 3)
        let target = authority.drop { !"/?#".utf8.contains($0) }.prefix { $0 != UInt8(ascii: "#") }
        let path = String(decoding: target, as: UTF8.self)
        return path.hasPrefix("/") ? path : "/" + path
    }
}

/// SHA-1 (FIPS 180-4). The handshake of WebSocket uses it as a checksum only, not for security.
enum SHA1Digest {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        let padded = message.padded(toBlocksOf: 64, end: (UInt64(message.count) &* 8).bigEndianBytes)
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<start + 64], into: &state) }
        return state.flatMap(\.bigEndianBytes)
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = (0..<16).map { word in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[block.startIndex + word * 4 + $1]) }
        }
        for index in 16..<80 {
            words.append((words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]).rotatedLeft(1))
        }
        var work = state
        for index in 0..<80 {
            let (b, c, d) = (work[1], work[2], work[3])
            let (function, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5a82_7999)
                case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case ..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = work[0].rotatedLeft(5) &+ function &+ work[4] &+ constant &+ words[index]
            work = [next, work[0], b.rotatedLeft(30), c, d]
        }
        for index in state.indices { state[index] &+= work[index] }
    }
}

extension UInt32 {
    fileprivate func rotatedLeft(_ count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
