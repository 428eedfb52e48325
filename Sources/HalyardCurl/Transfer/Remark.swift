import HalyardHTTP

/// What a remark of libcurl's says about the connection of a request over TLS, HTTP/2 or HTTP/3.
///
/// libcurl reports neither the protocol of a connection nor what ends a stream or a connection. It takes the version from
/// the status line, which any server can write. But in verbose mode it mentions the stream of each request, each GOAWAY
/// frame, and, with OpenSSL, each message of TLS. A build without such texts makes no remarks at all.
enum Remark: Equatable {
    /// The request was given a stream.
    case stream(UInt32)
    /// The request was given a stream of HTTP/3.
    case http3Stream
    /// The server ends the connection. It has not processed the streams above the last one (RFC 9113 section 6.8).
    case goAway(lastStream: UInt32, code: UInt32)
    /// The server wants the request over HTTP/1.1, and libcurl is about to send it again.
    case downgrade
    /// A message of a TLS handshake: this libcurl mentions messages of TLS.
    case handshake
    /// The server has ended its side of a TLS connection (RFC 8446 section 6.1).
    case closeNotify

    /// Reads a remark. Returns `nil` for one about anything else.
    init?(_ text: UnsafeRawBufferPointer) {
        let text = text.bindMemory(to: UInt8.self)
        switch text.first {
        case UInt8(ascii: "U") where text.starts(withASCII: "Using Stream ID: "):  // before 8.3
            self = .stream(Self.number(in: text, after: "ID: ") ?? 0)
        case UInt8(ascii: "[") where text.starts(withASCII: "[HTTP/2] ["):
            self = .stream(Self.number(in: text, after: "] [") ?? 0)
        case UInt8(ascii: "[") where text.starts(withASCII: "[HTTP/3] ["): self = .http3Stream
        case UInt8(ascii: "r"):  // "recveived" before 8.1; no such remark before 7.88
            guard let last = Self.number(in: text, after: "GOAWAY, error=", ", last_stream=") else { return nil }
            self = .goAway(lastStream: last, code: Self.number(in: text, after: "GOAWAY, error=") ?? 0)
        case UInt8(ascii: "T"), UInt8(ascii: "S"):  // "TLSv1.3 (IN), TLS alert, close notify (256):"
            let words = Substring(decoding: text.prefix(80), as: UTF8.self)
            guard let start = words.firstRange(of: "(IN), TLS ")?.upperBound else { return nil }
            if words[start...].hasPrefix("alert, close notify") {
                self = .closeNotify
            } else if words[start...].hasPrefix("handshake") {
                self = .handshake
            } else {
                return nil
            }
        case UInt8(ascii: "D") where text.starts(withASCII: "Downgrades to HTTP/1.1"): self = .downgrade
        default: return nil
        }
    }

    /// Reads the decimal number after words that follow each other.
    private static func number(in text: UnsafeBufferPointer<UInt8>, after words: String...) -> UInt32? {
        var rest = Substring(decoding: text, as: UTF8.self)
        for word in words {
            guard let range = rest.firstRange(of: word) else { return nil }
            rest = rest[range.upperBound...]
        }
        return UInt32(rest.prefix { $0.isNumber })
    }
}

/// The last GOAWAY frames that the servers of an engine have sent.
struct GoAways {
    struct Frame {
        let connection: ConnectionEndpoints
        let lastStream: UInt32
        let code: UInt32
        /// How many frames the engine has received, with this one.
        var number = 0
    }

    private var frames: [Frame] = []
    /// The number of frames so far. A frame with a higher number came after a request was sent, and so is about the
    /// connection of that request, and not about an earlier one with the same ports.
    private(set) var count = 0

    /// Records a frame. A connection may have several: the last one holds.
    mutating func add(_ frame: Frame) {
        frames.removeAll { $0.connection == frame.connection }
        if frames.count >= 64 { frames.removeFirst() }
        count += 1
        var frame = frame
        frame.number = count
        frames.append(frame)
    }

    var isEmpty: Bool { frames.isEmpty }

    subscript(connection: ConnectionEndpoints) -> Frame? { frames.last { $0.connection == connection } }
}
