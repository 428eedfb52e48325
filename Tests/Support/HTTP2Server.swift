package import Foundation
import HalyardTesting

/// A server of HTTP/2 over TLS that answers each request with the frames that a test scripts (RFC 9113).
///
/// Each connection has a thread. The script runs when the whole request has arrived. It is called for one request at a
/// time.
package final class HTTP2Server: Sendable {
    package let baseURL: URL
    /// The certificate to trust, in PEM.
    package var root: String { tls.root }
    private let tls: ServerTLS
    private let listener: Socket
    private let open = Lock<[Int: Socket]>([:])

    /// A request that has arrived completely.
    package struct Request: Sendable {
        /// The number of earlier connections.
        package let connection: Int
        /// The number of the stream on its connection: 1, 3, 5 and so on.
        package let stream: UInt32
        package let body: String
    }

    /// What the server sends.
    package enum Frame: Sendable {
        /// The status 200, header fields `x: vvv...` of about a kilobyte each, and a body. It ends the stream.
        case response(body: String = "ok", headerKilobytes: Int = 0)
        /// The status 200 and a body of which more is to come.
        case partialResponse
        case reset(code: UInt32)
        case goAway(lastStream: UInt32, code: UInt32 = 0)
        /// Frames that were written by hand.
        case raw([UInt8])
        /// The end of the connection. Nothing is sent after it.
        case close
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - isRefused: Returns whether to refuse a request when its head has arrived, by the numbers of its connection
    ///     and its stream. Defaults to none.
    ///   - script: Returns what to send when a request has arrived.
    package init(
        refusing isRefused: @escaping @Sendable (Int, UInt32) -> Bool = { _, _ in false },
        _ script: @escaping @Sendable (Request) -> [Frame]
    ) throws {
        let tls = try ServerTLS(.valid, offersHTTP2: true)
        let (listener, port) = try Socket.listening()
        guard let url = URL(string: "https://127.0.0.1:\(port)") else { throw TestingError(call: "URL") }
        (self.tls, self.listener, baseURL) = (tls, listener, url)
        let isStarted = SystemThread.start { [open] in
            // Not a lock of nothing: its state would be at the address of its mutex, and thread sanitizer would report it.
            let turn = Lock(0)
            var count = 0
            // The loop ends when the listener is shut down.
            while listener.waitForInput(timeout: .seconds(600)).isReadable,
                case .accepted(let socket) = listener.acceptNext()
            {
                let number = count
                count += 1
                open.withLock { $0[number] = socket }
                _ = SystemThread.start {
                    if let session = tls.accept(socket.descriptor) {
                        let connection = HTTP2Connection(session: session, number: number)
                        connection.run(refusing: { isRefused(number, $0) }) { request in
                            turn.withLock { _ in script(request) }
                        }
                        session.end()
                        session.release()
                    }
                    open.withLock {
                        $0[number] = nil
                        socket.release()
                    }
                }
            }
            listener.release()
        }
        guard isStarted else { throw TestingError(call: "pthread_create") }
    }

    /// Wakes threads that are still blocked.
    deinit {
        listener.shutDown()
        open.withLock { for socket in $0.values { socket.shutDown() } }
    }
}

/// One connection: it reads frames, and answers when a stream ends.
private final class HTTP2Connection {
    private let session: TLSSession
    private let number: Int
    private var bodies: [UInt32: [UInt8]] = [:]
    private var hasEnded = false

    init(session: TLSSession, number: Int) {
        self.session = session
        self.number = number
    }

    private enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let reset: UInt8 = 3
        static let settings: UInt8 = 4
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    func run(refusing isRefused: (UInt32) -> Bool, _ script: (HTTP2Server.Request) -> [HTTP2Server.Frame]) {
        guard read(24) != nil else { return }  // the preface
        write(Kind.settings, 0, 0, [])
        while !hasEnded, let head = read(9), let payload = read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) {
            let (kind, flags) = (head[3], head[4])
            let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            switch kind {
            case Kind.settings where flags & 1 == 0: write(Kind.settings, 1, 0, [])
            case Kind.headers where isRefused(stream): send(.reset(code: 7), on: stream)
            case Kind.headers: bodies[stream] = []
            case Kind.data:
                bodies[stream]?.append(contentsOf: payload)
                guard !payload.isEmpty else { break }
                for id in [0, stream] { write(Kind.windowUpdate, 0, id, Self.bytes(UInt32(payload.count))) }
            default: break
            }
            guard kind == Kind.headers || kind == Kind.data, flags & 1 != 0, let body = bodies[stream] else { continue }
            bodies[stream] = nil
            let request = HTTP2Server.Request(
                connection: number, stream: stream, body: String(decoding: body, as: UTF8.self))
            for frame in script(request) where !hasEnded { send(frame, on: stream) }
        }
    }

    private func send(_ frame: HTTP2Server.Frame, on stream: UInt32) {
        switch frame {
        case .response(let body, let kilobytes):
            sendHead(stream, kilobytes: kilobytes)
            write(Kind.data, 1, stream, Array(body.utf8))
        case .partialResponse:
            sendHead(stream, kilobytes: 0)
            write(Kind.data, 0, stream, Array("par".utf8))
        case .reset(let code): write(Kind.reset, 0, stream, Self.bytes(code))
        case .goAway(let last, let code): write(Kind.goAway, 0, 0, Self.bytes(last) + Self.bytes(code))
        case .raw(let bytes): transmit(bytes)
        case .close: hasEnded = true
        }
    }

    /// Writes the head of a response in as many frames as it needs (HPACK, RFC 7541: `:status: 200` has the index 8).
    private func sendHead(_ stream: UInt32, kilobytes: Int) {
        var block: [UInt8] = [0x88]
        for _ in 0..<kilobytes {
            // A literal field without indexing: the length of the value is 127 and 873 more.
            block += [0, 1, UInt8(ascii: "x"), 0x7F, 0xE9, 0x06] + [UInt8](repeating: UInt8(ascii: "v"), count: 1000)
        }
        var kind = Kind.headers
        while true {
            let piece = block.prefix(16384)
            block.removeFirst(piece.count)
            write(kind, block.isEmpty ? 4 : 0, stream, Array(piece))
            kind = Kind.continuation
            if block.isEmpty { return }
        }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }

    private func write(_ kind: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]) {
        transmit(Self.bytes(UInt32(payload.count)).dropFirst() + [kind, flags] + Self.bytes(stream) + payload)
    }

    private func transmit(_ bytes: [UInt8]) {
        if !bytes.withUnsafeBytes({ session.transmit($0) }) { hasEnded = true }
    }

    private func read(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var piece = [UInt8](repeating: 0, count: count - bytes.count)
            let received = piece.withUnsafeMutableBytes { session.receive(into: $0) }
            guard received > 0 else { return nil }
            bytes += piece[..<received]
        }
        return bytes
    }
}
