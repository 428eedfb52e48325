import HalyardSystem

/// A blocking TCP socket. Only this file calls the system's socket functions.
///
/// It is a plain value. Its owner calls ``release()`` once, and nobody uses it afterwards.
package struct Socket: Hashable, Sendable {
    package let descriptor: CInt

    /// Ends the connection in both directions. Threads that block on it wake up.
    package func shutDown() { _ = shutdown(descriptor, CInt(SHUT_RDWR)) }

    /// Ends sending.
    package func shutDownWriting() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

    package func release() { _ = close(descriptor) }
}

extension Socket {
    #if canImport(Glibc)
        private static let stream = CInt(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    /// Returns a socket that listens on 127.0.0.1 at a free port. Accepting from it never blocks.
    package static func listening() throws(TestingError) -> (socket: Socket, port: Int) {
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw TestingError(call: "socket") }
        let listener = Socket(descriptor: descriptor)
        do throws(TestingError) {
            listener.set(SOL_SOCKET, SO_REUSEADDR)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return (listener, try listener.listenOnLoopback())
        } catch {
            listener.release()
            throw error
        }
    }

    private func listenOnLoopback() throws(TestingError) -> Int {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let failed = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> String? in
                if bind(descriptor, address, size) != 0 { return "bind" }
                if listen(descriptor, 1024) != 0 { return "listen" }
                return getsockname(descriptor, address, &size) != 0 ? "getsockname" : nil
            }
        }
        if let failed { throw TestingError(call: failed) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Returns two connected sockets.
    static func pair() throws(TestingError) -> (Socket, Socket) {
        var descriptors: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, stream, 0, &descriptors) == 0 else { throw TestingError(call: "socketpair") }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return (Socket(descriptor: descriptors[0]), Socket(descriptor: descriptors[1]))
    }

    /// The result of accepting a connection.
    package enum Acceptance {
        case accepted(Socket)
        case noConnection
        /// The system has no descriptor or memory left. Try again later.
        case exhausted
    }

    /// Accepts a connection, if there is one.
    package func acceptNext() -> Acceptance {
        while true {
            let descriptor = accept(self.descriptor, nil, nil)
            if descriptor >= 0 {
                let socket = Socket(descriptor: descriptor)
                socket.configure()
                return .accepted(socket)
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .noConnection
            }
        }
    }

    private func configure() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // On Linux an accepted socket does not inherit O_NONBLOCK, on Darwin it does.
        _ = fcntl(descriptor, F_SETFL, 0)
        set(CInt(IPPROTO_TCP), TCP_NODELAY)
        #if canImport(Darwin)
            set(SOL_SOCKET, SO_NOSIGPIPE)
        #endif
    }

    /// Makes ``release()`` reset the connection, instead of closing it in order.
    func resetWhenReleased() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private func set(_ level: CInt, _ option: CInt) {
        var on: CInt = 1
        _ = setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size))
    }
}

extension Socket {
    /// Waits for bytes and reads them. Returns the number of bytes. 0 at the end of the connection, also after an
    /// error.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 || errno != EINTR { return max(0, count) }
        }
    }

    /// Writes all bytes. Returns `false` if the connection has ended.
    package func transmit(_ bytes: UnsafeRawBufferPointer) -> Bool {
        #if canImport(Darwin)
            let flags: CInt = 0
        #else
            let flags = CInt(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = send(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, flags)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Waits until there is something to read, or until the connection ends. Returns whether this socket and `other`
    /// are ready. Both are `false` after the timeout.
    package func waitForInput(or other: Socket? = nil, timeout: Duration? = nil) -> (
        isReadable: Bool, isOtherReadable: Bool
    ) {
        var polled = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        if let other { polled.append(pollfd(fd: other.descriptor, events: Int16(POLLIN), revents: 0)) }
        Self.wait(&polled, until: timeout.map { ContinuousClock.now + $0 })
        return (polled[0].revents != 0, polled.last?.revents != 0)
    }

    /// Waits for a time, or until the other side has ended the connection or ``shutDown()`` was called. Returns whether
    /// the connection still exists.
    func staysOpen(for time: Duration) -> Bool {
        #if canImport(Darwin)
            let hangUpEvent = Int16(POLLHUP)  // On Darwin this includes half-closed connections.
        #else
            let hangUpEvent: Int16 = 0x2000  // POLLRDHUP, which glibc declares only with _GNU_SOURCE.
        #endif
        var polled = [pollfd(fd: descriptor, events: hangUpEvent, revents: 0)]
        Self.wait(&polled, until: .now + time)
        return polled[0].revents == 0
    }

    private static func wait(_ polled: inout [pollfd], until end: ContinuousClock.Instant?) {
        while true {
            var milliseconds: CInt = -1
            if let end {
                let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
                milliseconds = CInt(min(max(0, rest.rounded(.up)), 1e9))
            }
            let ready = poll(&polled, nfds_t(polled.count), milliseconds)
            if ready > 0 || milliseconds == 0 || (ready < 0 && errno != EINTR) { return }
        }
    }
}
