import HalyardFoundation
import HalyardHTTP
import HalyardSystem

/// A socket that never blocks. Its owner calls ``release()`` once, and does not use it afterwards.
struct RedirectSocket: Sendable {
    /// The port, for a socket that listens.
    private(set) var port = 0
    private let descriptor: CInt

    // A child that is started at this moment must not keep the port. Darwin has no such flag. Linux's SOCK_CLOEXEC is
    // O_CLOEXEC, whose type is the same in all C libraries.
    #if canImport(Glibc)
        private static let stream = CInt(SOCK_STREAM.rawValue) | O_CLOEXEC
    #elseif canImport(Darwin)
        private static let stream: CInt = SOCK_STREAM
    #else
        private static let stream: CInt = SOCK_STREAM | O_CLOEXEC
    #endif

    private init(_ descriptor: CInt) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
            set(SO_NOSIGPIPE)
        #endif
    }

    /// Listens on 127.0.0.1, which no other machine can reach. Port 0 is any free one.
    init(port: Int) throws(OAuthError) {
        guard let number = in_port_t(exactly: port) else {
            throw OAuthError(.portUnavailable, reason: "\(port) is not a port")
        }
        let descriptor = socket(AF_INET, Self.stream, 0)
        guard descriptor >= 0 else { throw Self.failure(port) }
        self.init(descriptor)
        // Without it, the port of the last login is taken for a minute.
        set(SO_REUSEADDR)
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &size) == 0
            }
        }
        guard isListening else {
            let error = Self.failure(port)
            release()
            throw error
        }
        self.port = Int(in_port_t(bigEndian: address.sin_port))
    }

    /// Returns two connected sockets.
    static func pair() throws(OAuthError) -> (RedirectSocket, RedirectSocket) {
        var descriptors: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, stream, 0, &descriptors) == 0 else { throw failure(0) }
        return (RedirectSocket(descriptors[0]), RedirectSocket(descriptors[1]))
    }

    private static func failure(_ port: Int) -> OAuthError {
        OAuthError(.portUnavailable, reason: "port \(port): \(String(cString: strerror(errno)))")
    }

    private func set(_ option: CInt) {
        var on: CInt = 1
        _ = setsockopt(descriptor, SOL_SOCKET, option, &on, socklen_t(MemoryLayout<CInt>.size))
    }

    func shutDown() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

    func release() { _ = close(descriptor) }
}

extension RedirectSocket {
    /// Accepts a connection. `nil` if there is none.
    ///
    /// The C libraries hide `accept4` from Swift. A child that is started before the flag is set keeps the connection,
    /// whose end the browser sees nevertheless; see ``transmit(_:)``.
    func acceptNext() -> RedirectSocket? {
        let descriptor = accept(self.descriptor, nil, nil)
        return descriptor < 0 ? nil : RedirectSocket(descriptor)
    }

    /// Whether the last call has failed because the system has no descriptor or memory left.
    static var isExhausted: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }

    /// Returns what has arrived, at most 4 KiB. `nil` at the end of the connection.
    func receive() -> [UInt8]? {
        var code: CInt = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            (count, code) = (max(0, received), received < 0 ? errno : 0)
        }
        return bytes.isEmpty && code != EAGAIN && code != EINTR ? nil : bytes
    }

    /// Writes bytes that fit into the socket's buffer, and ends sending. Returns `false` if the connection has ended.
    func transmit(_ bytes: Data) -> Bool {
        #if canImport(Darwin)
            let flags: CInt = 0
        #else
            let flags = CInt(MSG_NOSIGNAL)
        #endif
        let count = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        return shutdown(descriptor, CInt(SHUT_WR)) == 0 && count == bytes.count
    }

    /// Waits until something has arrived at one of the sockets, or until a time. `nil` sockets are never ready.
    static func wait(for sockets: [RedirectSocket?], until end: ContinuousClock.Instant?) -> [Bool] {
        var polled = sockets.map { pollfd(fd: $0?.descriptor ?? -1, events: Int16(POLLIN), revents: 0) }
        let rest = end.map { max(0, ContinuousClock.now.duration(to: $0) / .milliseconds(1)) }
        // An interrupted wait is one that ends early.
        _ = poll(&polled, nfds_t(polled.count), rest.map { CInt($0.rounded(.up)) } ?? -1)
        return polled.map { $0.revents != 0 }
    }
}
