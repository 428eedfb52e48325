package import Foundation
import HalyardHTTP
import HalyardTesting

/// A server that sends exactly the bytes that a test writes, when the test writes them.
///
/// The script runs for each connection, on a thread of its own, and may block. A connection ends with its script, or
/// with the server.
package final class ScriptedServer: Sendable {
    package let baseURL: URL
    private let listener: Socket
    private let open = Lock<[Int: Socket]>([:])

    /// The number of open connections.
    package var connectionCount: Int { open.withLock { $0.count } }

    package init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        let (listener, port) = try Socket.listening()
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw TestingError(call: "URL") }
        self.listener = listener
        baseURL = url
        let started = SystemThread.start { [open] in
            var count = 0
            // The loop ends when the listener is shut down.
            while listener.waitForInput(timeout: .seconds(100)).isReadable,
                case .accepted(let socket) = listener.acceptNext()
            {
                let number = count
                count += 1
                open.withLock { $0[number] = socket }
                _ = SystemThread.start {
                    script(Connection(socket: socket, number: number))
                    open.withLock {
                        $0[number] = nil
                        socket.release()
                    }
                }
            }
            listener.release()
        }
        guard started else { throw TestingError(call: "pthread_create") }
    }

    /// Wakes threads that are still blocked.
    deinit {
        listener.shutDown()
        open.withLock { for socket in $0.values { socket.shutDown() } }
    }

    package struct Connection: Sendable {
        fileprivate let socket: Socket
        /// The number of earlier connections.
        package let number: Int

        /// Reads a request's head, and returns it. Returns `nil` if the client has closed the connection.
        @discardableResult
        package func readHead() -> String? {
            var head: [UInt8] = []
            while !head.ends(with: "\r\n\r\n".utf8) {
                guard let byte = read(atMost: 1)?.first else { return nil }
                head.append(byte)
            }
            return String(decoding: head, as: UTF8.self)
        }

        /// Reads some bytes. Returns `nil` if the client has closed the connection.
        package func read(atMost count: Int) -> [UInt8]? {
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = socket.receive(into: UnsafeMutableRawBufferPointer(buffer))
            }
            return bytes.isEmpty ? nil : bytes
        }

        /// Reads the given number of bytes, or until the client closes the connection.
        package func skip(_ count: Int) {
            var left = count
            while left > 0, let bytes = read(atMost: min(left, 1 << 18)) { left -= bytes.count }
        }

        /// Shuts down the writing direction of the connection.
        package func shutDownWriting() { socket.shutDownWriting() }

        /// Reads until the client closes the connection.
        package func drain() { skip(.max) }

        /// Writes all bytes. Returns `false` if the client has closed the connection.
        @discardableResult
        package func write(_ bytes: Data) -> Bool { bytes.withUnsafeBytes { socket.transmit($0) } }

        @discardableResult
        package func write(_ text: String) -> Bool { write(Data(text.utf8)) }

        #if canImport(Darwin)
            private static let flags = CInt(MSG_DONTWAIT)
        #else
            private static let flags = CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL)
        #endif

        /// Writes until everything is written, or the client has read nothing for the given time. Returns the number of
        /// written bytes.
        package func write(_ bytes: Data, patience milliseconds: Int32) -> Int {
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
