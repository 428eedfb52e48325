import Foundation
import HalyardHTTP

@testable import HalyardTesting

/// A server of one connection, whose every byte and every pause a test decides.
///
/// The script runs on a thread of its own and may block. The connection ends with the script, or with the server.
final class ScriptedServer: Sendable {
    let baseURL: URL
    private let listener: Socket
    private let connection = Lock<Socket?>(nil)

    init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        let (listener, port) = try Socket.listening()
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw Socket.Failure("URL") }
        self.listener = listener
        baseURL = url
        let started = SystemThread.start { [connection] in
            defer { listener.release() }
            guard listener.waitForInput(timeout: .seconds(60)).here, case .accepted(let socket) = listener.acceptNext()
            else { return }
            connection.withLock { $0 = socket }
            script(Connection(socket: socket))
            connection.withLock {
                $0 = nil
                socket.release()
            }
        }
        guard started else { throw Socket.Failure("pthread_create") }
    }

    /// Whoever still blocks on the connection wakes up.
    deinit { connection.withLock { $0?.hangUp() } }

    struct Connection: Sendable {
        fileprivate let socket: Socket

        /// Reads up to the end of a request's head, and gives it; nil when the client has gone.
        func readHead() -> String? {
            var head: [UInt8] = []
            while !head.ends(with: "\r\n\r\n".utf8) {
                guard let byte = read(atMost: 1)?.first else { return nil }
                head.append(byte)
            }
            return String(decoding: head, as: UTF8.self)
        }

        /// Reads some bytes; nil when the client has gone.
        func read(atMost count: Int) -> [UInt8]? {
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = socket.receive(into: UnsafeMutableRawBufferPointer(buffer))
            }
            return bytes.isEmpty ? nil : bytes
        }

        /// Writes all of the bytes; false when the client has gone.
        @discardableResult
        func write(_ bytes: Data) -> Bool { bytes.withUnsafeBytes { socket.transmit($0) } }

        @discardableResult
        func write(_ text: String) -> Bool { write(Data(text.utf8)) }

        #if canImport(Darwin)
            private static let flags = CInt(MSG_DONTWAIT)
        #else
            private static let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
        #endif

        /// Writes until all is written, or the client has taken nothing for so long. Returns how many bytes went.
        func write(_ bytes: Data, patience milliseconds: Int32) -> Int {
            bytes.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Int in
                var rest = bytes[...]
                while !rest.isEmpty {
                    var polled = pollfd(fd: socket.descriptor, events: Int16(POLLOUT), revents: 0)
                    guard poll(&polled, 1, milliseconds) > 0 else { break }
                    let piece = UnsafeRawBufferPointer(rebasing: rest)
                    let count = send(socket.descriptor, piece.baseAddress, piece.count, Self.flags)
                    guard count > 0 else { break }
                    rest = rest.dropFirst(count)
                }
                return bytes.count - rest.count
            }
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with end: String.UTF8View) -> Bool { suffix(end.count).elementsEqual(end) }
}
