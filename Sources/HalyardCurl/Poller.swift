import CHalyardCurl
import HalyardSystem

/// The sockets that libcurl wants watched.
///
/// libcurl lets go of a connection's socket after each request and wants it again for the next. Such a socket stays in
/// the queue, which saves two calls of the system for each request. While it is idle nothing may come on it. Where
/// something does, the connection is ended: libcurl before 8.0 would take those bytes for the answer to the next request.
struct Poller {
    private struct Watch {
        /// What the queue watches for; 0 when the socket is not in it.
        var registered: CInt = 0
        /// What libcurl wants to hear of.
        var wanted: CInt = 0
        /// It was opened for a connection, of whose end ``close(_:)`` will tell. Sockets of libcurl's name lookup are opened
        /// and closed in silence.
        var isConnection = false
        /// libcurl wants nothing of the connection, which is one of HTTP/1. No request uses it, or one that is paused.
        var isIdle = false
    }

    let queue: ReadyQueue
    /// By descriptor, which the system keeps small.
    private var watches: [Watch] = []
    /// Sockets of name lookups that are in the queue.
    private var lookups: Set<CInt> = []

    /// `nil` where the system has no more descriptors.
    init?() {
        guard let queue = ReadyQueue() else { return nil }
        self.queue = queue
    }

    /// Notes a socket that was opened for a connection, whatever had its number before.
    mutating func opened(_ socket: CInt) {
        makeRoom(for: socket)
        lookups.remove(socket)
        watches[Int(socket)] = Watch(isConnection: true)
    }

    /// Watches a socket for what libcurl says (HALYARD__POLL_*), or not.
    ///
    /// - Parameter isMultiplexed: whether the connection is one of HTTP/2, on which the server may speak at any time.
    mutating func watch(_ socket: CInt, for what: CInt, isMultiplexed: Bool = false) {
        makeRoom(for: socket)
        let index = Int(socket)
        let wanted = what == HALYARD__POLL_REMOVE ? 0 : what
        watches[index].wanted = wanted
        watches[index].isIdle = wanted == 0 && watches[index].isConnection && !isMultiplexed
        guard watches[index].isConnection else { return watchLookup(socket, for: wanted) }
        guard wanted != 0, watches[index].registered != wanted else { return }
        halyard_queue_watch(queue.descriptor, socket, wanted, watches[index].registered == 0)
        watches[index].registered = wanted
    }

    /// Each time anew: another socket of that number may have been closed in silence.
    private mutating func watchLookup(_ socket: CInt, for wanted: CInt) {
        guard wanted != 0 else {
            lookups.remove(socket)
            return forget(socket)
        }
        lookups.insert(socket)
        halyard_queue_watch(queue.descriptor, socket, wanted, false)
        watches[Int(socket)].registered = wanted
    }

    /// Watches the sockets of name lookups once more: c-ares closes one and opens another of the same number, and libcurl
    /// takes both for the same.
    func renewLookups() {
        for socket in lookups { halyard_queue_watch(queue.descriptor, socket, watches[Int(socket)].wanted, false) }
    }

    /// Closes a socket of libcurl's.
    mutating func close(_ socket: CInt) {
        if watches.indices.contains(Int(socket)) {
            // By itself the queue forgets it only when no child process has inherited it.
            if watches[Int(socket)].registered != 0 { halyard_queue_forget(queue.descriptor, socket) }
            watches[Int(socket)] = Watch()
            lookups.remove(socket)
        }
        systemClose(socket)
    }

    /// The socket of an event, and what it is ready for (HALYARD__CSELECT_*), if libcurl wants to hear of it.
    mutating func event(_ index: Int) -> (socket: CInt, ready: CInt)? {
        let event = queue[index]
        if event.socket == queue.bell.descriptor { return nil }
        guard watches[Int(event.socket)].wanted != 0 else {
            if !watches[Int(event.socket)].isIdle { forget(event.socket) }
            return nil
        }
        return (event.socket, event.ready)
    }

    /// Ends the idle connections among those of the last wait: the other side has closed them, or has sent what nobody
    /// asked for.
    ///
    /// - Parameters:
    ///   - isInUse: whether a request that is paused uses the connection.
    ///   - ended: is told of each that was ended.
    mutating func endStale(
        of count: Int, unless isInUse: (CInt) -> Bool, _ ended: (CInt, ConnectionEnds) -> Void
    ) {
        for index in 0..<count { endStale(queue[index], unless: isInUse, ended) }
    }

    /// Looks at all sockets now, and ends the idle connections on which something came.
    mutating func endStale(unless isInUse: (CInt) -> Bool, _ ended: (CInt, ConnectionEnds) -> Void) {
        withUnsafeTemporaryAllocation(of: halyard_ready.self, capacity: 128) { list in
            let count = halyard_queue_wait(queue.descriptor, list.baseAddress, CInt(list.count), 0)
            for index in 0..<Int(count) { endStale(list[index], unless: isInUse, ended) }
        }
    }

    private mutating func endStale(
        _ event: halyard_ready, unless isInUse: (CInt) -> Bool, _ ended: (CInt, ConnectionEnds) -> Void
    ) {
        let index = Int(event.socket)
        guard watches.indices.contains(index), watches[index].isIdle else { return }
        if isInUse(event.socket) {
            watches[index].isIdle = false
            return forget(event.socket)
        }
        let ends = ConnectionEnds(of: event.socket)
        if halyard_socket_end_if_ready(event.socket) {
            if let ends { ended(event.socket, ends) }
            return forget(event.socket)
        }
        // The event is older than the request's end; or the socket was watched for writing, and tells that for ever.
        guard watches[index].registered != HALYARD__POLL_IN else { return }
        halyard_queue_watch(queue.descriptor, event.socket, HALYARD__POLL_IN, false)
        watches[index].registered = HALYARD__POLL_IN
    }

    private mutating func makeRoom(for socket: CInt) {
        let missing = Int(socket) + 1 - watches.count
        if missing > 0 { watches += Array(repeating: Watch(), count: missing) }
    }

    private mutating func forget(_ socket: CInt) {
        halyard_queue_forget(queue.descriptor, socket)
        watches[Int(socket)].registered = 0
    }

    func free() { queue.free() }
}

/// The two ends of a connection over TCP, which no other has at the same time.
struct ConnectionEnds: Equatable {
    let remoteAddress: String
    let remotePort, localPort: CInt
}

extension ConnectionEnds {
    /// `nil` for a socket of another kind.
    init?(of socket: CInt) {
        var ends = halyard_socket_ends(socket)
        guard ends.local_port != 0 else { return nil }
        let address = withUnsafeBytes(of: &ends.remote_address) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(remoteAddress: address, remotePort: ends.remote_port, localPort: ends.local_port)
    }
}

/// What the loop's thread sleeps in: the system's list of sockets that are ready, and a bell that any thread may ring.
/// What is watched it leaves alone, so that the thread may sleep in it while another has the loop.
struct ReadyQueue {
    fileprivate let descriptor: CInt
    let bell: Bell
    private let list: UnsafeMutableBufferPointer<halyard_ready>

    /// `nil` where the system has no more descriptors.
    init?() {
        descriptor = halyard_queue_make()
        bell = Bell(descriptor: halyard_bell_make())
        guard descriptor >= 0, bell.descriptor >= 0 else {
            if descriptor >= 0 { systemClose(descriptor) }
            if bell.descriptor >= 0 { bell.free() }
            return nil
        }
        list = .allocate(capacity: 128)
        list.initialize(repeating: halyard_ready())
        halyard_bell_watch(descriptor, bell.descriptor)
    }

    /// Waits for sockets, or the bell, or at most so many milliseconds. Returns how many events there are.
    func wait(_ milliseconds: Int32) -> Int {
        Int(halyard_queue_wait(descriptor, list.baseAddress, CInt(list.count), milliseconds))
    }

    /// One of the events of the last ``wait(_:)``.
    subscript(index: Int) -> halyard_ready { list[index] }

    func free() {
        systemClose(descriptor)
        bell.free()
        list.deallocate()
    }
}

/// What wakes the loop. Ringing it is the one thing that other threads do to it.
struct Bell: Sendable {
    let descriptor: CInt

    func ring() { halyard_bell_ring(descriptor) }
    /// Waits until it is rung, or that time is over; or it was rung before, and nobody has waited since.
    func wait(nanoseconds: Int? = nil) { halyard_bell_wait(descriptor, nanoseconds ?? -1) }
    func free() { systemClose(descriptor) }
}

private func systemClose(_ descriptor: CInt) { _ = close(descriptor) }
