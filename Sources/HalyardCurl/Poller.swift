import CHalyardCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

/// The sockets that libcurl wants watched.
///
/// libcurl lets go of a socket after each request and wants it again for the next. Such a socket stays in the queue
/// until something happens on it, or it is closed: an idle one is silent, and two calls of the system are saved.
struct Poller {
    private struct Watch {
        /// What the queue watches for; 0 when the socket is not in it.
        var registered: CInt = 0
        /// What libcurl wants to hear of.
        var wanted: CInt = 0
        /// It was waited for to connect: a connection, of whose end ``close(_:)`` will tell. What libcurl's name lookup
        /// wakes the loop with is closed in silence.
        var isConnection = false
    }

    let queue: ReadyQueue
    /// By descriptor, which the system keeps small.
    private var watches: [Watch] = []

    /// `nil` where the system has no more descriptors.
    init?() {
        guard let queue = ReadyQueue() else { return nil }
        self.queue = queue
    }

    /// Watches a socket for what libcurl says (HALYARD__POLL_*), or not.
    mutating func watch(_ socket: CInt, for what: CInt) {
        let index = Int(socket)
        if index >= watches.count { watches += Array(repeating: Watch(), count: index + 1 - watches.count) }
        let wanted = what == HALYARD__POLL_REMOVE ? 0 : what
        watches[index].wanted = wanted
        if wanted & HALYARD__POLL_OUT != 0 { watches[index].isConnection = true }
        if wanted == 0 && !watches[index].isConnection { return forget(socket) }
        guard wanted != 0, watches[index].registered != wanted else { return }
        halyard_queue_watch(queue.descriptor, socket, wanted, watches[index].registered == 0)
        watches[index].registered = wanted
    }

    /// Closes a socket of libcurl's.
    mutating func close(_ socket: CInt) {
        if watches.indices.contains(Int(socket)) {
            // By itself the queue forgets it only when no child process has inherited it.
            if watches[Int(socket)].registered != 0 { halyard_queue_forget(queue.descriptor, socket) }
            watches[Int(socket)] = Watch()
        }
        systemClose(socket)
    }

    /// The socket of an event, and what it is ready for (HALYARD__CSELECT_*), if libcurl wants to hear of it.
    mutating func event(_ index: Int) -> (socket: CInt, ready: CInt)? {
        let event = queue[index]
        if event.socket == queue.bell.descriptor { return nil }
        guard watches[Int(event.socket)].wanted != 0 else {
            // An idle connection that the other side has closed, or that has more to say than it was asked.
            forget(event.socket)
            return nil
        }
        return (event.socket, event.ready)
    }

    private mutating func forget(_ socket: CInt) {
        halyard_queue_forget(queue.descriptor, socket)
        watches[Int(socket)].registered = 0
    }

    func free() { queue.free() }
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
