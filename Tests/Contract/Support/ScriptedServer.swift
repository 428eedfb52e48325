import Dispatch
import Foundation
import HalyardHTTP

@testable import HalyardTesting

/// A server whose every byte and every pause a test decides.
///
/// The script runs for each connection, with its number, on a thread of its own, and may block. A connection ends with
/// its script, or with the server.
final class ScriptedServer: Server, Sendable {
    let baseURL: URL
    private let listener: Socket
    private let open = Lock<[Int: Socket]>([:])

    /// How many connections are open.
    var connectionCount: Int { open.withLock { $0.count } }

    init(_ script: @escaping @Sendable (Connection, Int) -> Void) throws {
        let (listener, port) = try Socket.listening()
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { throw Socket.Failure("URL") }
        self.listener = listener
        baseURL = url
        let started = SystemThread.start { [open] in
            var count = 0
            // Ends when the listener is hung up.
            while listener.waitForInput(timeout: .seconds(100)).here, case .accepted(let socket) = listener.acceptNext()
            {
                let number = count
                count += 1
                open.withLock { $0[number] = socket }
                _ = SystemThread.start {
                    script(Connection(socket: socket), number)
                    open.withLock {
                        $0[number] = nil
                        socket.release()
                    }
                }
            }
            listener.release()
        }
        guard started else { throw Socket.Failure("pthread_create") }
    }

    /// Whoever still blocks wakes up.
    deinit {
        listener.hangUp()
        open.withLock { for socket in $0.values { socket.hangUp() } }
    }

    struct Connection: Sendable {
        fileprivate let socket: Socket

        /// Reads up to the end of a request's head, and gives it; nil when the client has gone.
        @discardableResult
        func readHead() -> String? {
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
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

        /// Reads until the client has gone.
        func drain() { while read(atMost: 1 << 16) != nil {} }

        /// Writes all of the bytes; false when the client has gone.
        @discardableResult
        func write(_ bytes: Data) -> Bool { bytes.withUnsafeBytes { socket.transmit($0) } }

        @discardableResult
        func write(_ text: String) -> Bool { write(Data(text.utf8)) }

        /// Says that no more comes.
        func endSending() { socket.endSending() }
    }
}

/// Holds threads back until it is opened. For threads that may block: a server's, never a task's.
final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func open() { semaphore.signal() }
    func wait() {
        semaphore.wait()
        semaphore.signal()
    }
}
