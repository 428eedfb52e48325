import CHalyardCurl
import HalyardHTTP

/// The sockets that libcurl asks to watch.
///
/// After each request libcurl stops watching the connection's socket, and starts again with the next request. Such a
/// socket stays in the epoll instance, which saves two system calls per request. Nothing may arrive on an idle
/// connection. If something does, the connection is shut down: libcurl before 8.0 would treat the bytes as the response
/// to the next request.
struct Poller {
    /// The state of one socket.
    private struct Watch {
        /// The events that the epoll instance watches for; 0 if the socket is not in it.
        var registered: CInt = 0
        /// The events that libcurl has requested.
        var wanted: CInt = 0
        /// Whether the socket was opened for a connection. libcurl announces the end of such a socket (``close(_:)``),
        /// but not that of a socket for name lookups.
        var isConnection = false
        /// Whether the socket is of a QUIC connection, on which the server may send at any time.
        var isDatagram = false
        /// Whether libcurl has requested no events of an HTTP/1 connection. The connection is unused, or its transfer
        /// is paused.
        var isIdle = false
        /// Whether the engine itself reads and writes the connection. libcurl's requests for it are ignored.
        var isRaw = false
    }

    let epoll: Epoll
    /// The sockets by descriptor. The system assigns small numbers.
    private var watches: [Watch] = []
    /// The sockets for name lookups in the epoll instance.
    private var lookups: Set<CInt> = []

    /// Makes a poller. `nil` if the process cannot open more descriptors.
    init?() {
        guard let epoll = Epoll() else { return nil }
        self.epoll = epoll
    }

    /// Registers a new socket of a connection. It may have the number of an earlier socket.
    mutating func opened(_ socket: CInt, isDatagram: Bool = false) {
        makeRoom(for: socket)
        lookups.remove(socket)
        watches[Int(socket)] = Watch(isConnection: true, isDatagram: isDatagram)
    }

    /// Sets the events that libcurl requests for a socket. `isMultiplexed` says whether the connection is HTTP/2, on
    /// which the server may send at any time.
    mutating func watch(_ socket: CInt, for what: CInt, isMultiplexed: Bool = false) {
        makeRoom(for: socket)
        let index = Int(socket)
        guard !watches[index].isRaw else { return }
        let wanted = what == HALYARD__POLL_REMOVE ? 0 : what
        watches[index].wanted = wanted
        let maySend = isMultiplexed || watches[index].isDatagram
        watches[index].isIdle = wanted == 0 && watches[index].isConnection && !maySend
        guard watches[index].isConnection else { return watchLookup(socket, for: wanted) }
        guard wanted != 0, watches[index].registered != wanted else { return }
        halyard_epoll_watch(epoll.descriptor, socket, wanted, watches[index].registered == 0)
        watches[index].registered = wanted
    }

    /// Registers a socket for name lookups, even if it seems to be registered: libcurl may have closed it unannounced
    /// and opened another with the same number.
    private mutating func watchLookup(_ socket: CInt, for wanted: CInt) {
        guard wanted != 0 else {
            lookups.remove(socket)
            return forget(socket)
        }
        lookups.insert(socket)
        halyard_epoll_watch(epoll.descriptor, socket, wanted, false)
        watches[Int(socket)].registered = wanted
    }

    /// Registers the sockets for name lookups again. c-ares may close one and open another with the same number, which
    /// libcurl takes for the same socket.
    func renewLookups() {
        for socket in lookups { halyard_epoll_watch(epoll.descriptor, socket, watches[Int(socket)].wanted, false) }
    }

    /// Watches a connection that the engine itself reads and writes.
    ///
    /// - Parameter wanted: `HALYARD__POLL_*` values. With 0 the socket is not in the epoll instance, which would otherwise report
    ///   the end of the connection again and again.
    mutating func watchRaw(_ socket: CInt, for wanted: CInt) {
        makeRoom(for: socket)
        let index = Int(socket)
        (watches[index].isRaw, watches[index].isIdle, watches[index].wanted) = (true, false, wanted)
        guard watches[index].registered != wanted else { return }
        if wanted == 0 { return forget(socket) }
        halyard_epoll_watch(epoll.descriptor, socket, wanted, watches[index].registered == 0)
        watches[index].registered = wanted
    }

    mutating func close(_ socket: CInt) {
        if watches.indices.contains(Int(socket)) {
            // epoll removes a closed socket by itself only if no child process has inherited it.
            if watches[Int(socket)].registered != 0 { halyard_epoll_remove(epoll.descriptor, socket) }
            watches[Int(socket)] = Watch()
            lookups.remove(socket)
        }
        systemClose(socket)
    }

    /// Returns an event of the last wait.
    ///
    /// - Returns: The socket and the `HALYARD__CSELECT_*` values; `nil` for an event that libcurl has not requested.
    mutating func event(_ index: Int) -> (socket: CInt, ready: CInt)? {
        let event = epoll[index]
        if event.socket == epoll.wakeup.descriptor { return nil }
        guard watches[Int(event.socket)].wanted != 0 else {
            if !watches[Int(event.socket)].isIdle { forget(event.socket) }
            return nil
        }
        return (event.socket, event.ready)
    }

    /// Returns the socket of a connection over TCP. `nil` if there is none.
    func socket(of connection: ConnectionEndpoints) -> CInt? {
        watches.indices.first { index in
            let watch = watches[index]
            return watch.isConnection && !watch.isDatagram && !watch.isRaw
                && ConnectionEndpoints(of: CInt(index)) == connection
        }.map { CInt($0) }
    }

    private mutating func makeRoom(for socket: CInt) {
        let missing = Int(socket) + 1 - watches.count
        if missing > 0 { watches += Array(repeating: Watch(), count: missing) }
    }

    private mutating func forget(_ socket: CInt) {
        halyard_epoll_remove(epoll.descriptor, socket)
        watches[Int(socket)].registered = 0
    }

    func free() { epoll.free() }
}

// Idle connections that the server has closed, or on which it has sent unrequested bytes.
extension Poller {
    /// Shuts down the stale connections among the sockets of the last wait.
    ///
    /// - Parameters:
    ///   - isInUse: Returns whether a paused transfer uses the connection.
    ///   - onShutDown: Receives each connection that was shut down.
    mutating func shutDownStale(
        of count: Int, unless isInUse: (CInt) -> Bool, _ onShutDown: (CInt, ConnectionEndpoints) -> Void
    ) {
        for index in 0..<count { shutDownIfStale(epoll[index], unless: isInUse, onShutDown) }
    }

    /// Polls all sockets, and shuts down the stale connections among them.
    mutating func shutDownStale(
        unless isInUse: (CInt) -> Bool, _ onShutDown: (CInt, ConnectionEndpoints) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: halyard_socket_event.self, capacity: 128) { events in
            let count = halyard_epoll_wait(epoll.descriptor, events.baseAddress, CInt(events.count), 0)
            for index in 0..<Int(count) { shutDownIfStale(events[index], unless: isInUse, onShutDown) }
        }
    }

    /// Shuts down a connection that libcurl does not use. Returns `false` for any other.
    mutating func shutDown(idle socket: CInt) -> Bool {
        let index = Int(socket)
        guard watches.indices.contains(index), watches[index].isIdle else { return false }
        halyard_socket_shutdown(socket, true)
        if watches[index].registered != 0 { forget(socket) }
        return true
    }

    private mutating func shutDownIfStale(
        _ event: halyard_socket_event, unless isInUse: (CInt) -> Bool,
        _ onShutDown: (CInt, ConnectionEndpoints) -> Void
    ) {
        let index = Int(event.socket)
        guard watches.indices.contains(index), watches[index].isIdle else { return }
        if isInUse(event.socket) {
            watches[index].isIdle = false
            return forget(event.socket)
        }
        let endpoints = ConnectionEndpoints(of: event.socket)
        if halyard_socket_shutdown_if_readable(event.socket) {
            if let endpoints { onShutDown(event.socket, endpoints) }
            return forget(event.socket)
        }
        // Nothing has arrived: the event is older than the end of the request, or the socket is still watched for
        // writing and is always ready for that.
        guard watches[index].registered != HALYARD__POLL_IN else { return }
        halyard_epoll_watch(epoll.descriptor, event.socket, HALYARD__POLL_IN, false)
        watches[index].registered = HALYARD__POLL_IN
    }
}

/// An epoll instance with a wakeup descriptor. The event loop's thread sleeps in it.
///
/// ``wait(_:)`` writes only to its own list of events. Therefore the thread may sleep in it while another thread owns
/// the event loop and changes the watched sockets.
struct Epoll {
    let descriptor: CInt
    let wakeup: WakeupDescriptor
    private let events: UnsafeMutableBufferPointer<halyard_socket_event>

    /// Makes an instance. `nil` if the process cannot open more descriptors.
    init?() {
        descriptor = halyard_epoll_create()
        wakeup = WakeupDescriptor(descriptor: halyard_eventfd_create())
        guard descriptor >= 0, wakeup.descriptor >= 0 else {
            if descriptor >= 0 { systemClose(descriptor) }
            if wakeup.descriptor >= 0 { wakeup.free() }
            return nil
        }
        events = .allocate(capacity: 128)
        events.initialize(repeating: halyard_socket_event())
        halyard_epoll_add_eventfd(descriptor, wakeup.descriptor)
    }

    /// Waits for sockets or the wakeup descriptor.
    func wait(_ milliseconds: Int32) -> Int {
        Int(halyard_epoll_wait(descriptor, events.baseAddress, CInt(events.count), milliseconds))
    }

    /// An event of the last ``wait(_:)``.
    subscript(index: Int) -> halyard_socket_event { events[index] }

    func free() {
        systemClose(descriptor)
        wakeup.free()
        events.deallocate()
    }
}

/// An eventfd that wakes the event loop's thread. Any thread may signal it.
struct WakeupDescriptor: Sendable {
    let descriptor: CInt

    /// Wakes the thread that waits, or the next one that does.
    func signal() { halyard_eventfd_signal(descriptor) }

    /// Waits for a signal, and consumes all signals. `nanoseconds` is the longest time to wait, less than a second.
    /// Defaults to no limit.
    func wait(nanoseconds: Int? = nil) { halyard_eventfd_wait(descriptor, nanoseconds ?? -1) }

    func free() { systemClose(descriptor) }
}
