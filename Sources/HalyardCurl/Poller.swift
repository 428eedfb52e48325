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

/// What the loop sleeps in: the sockets that libcurl wants watched, and a bell that any thread may ring.
struct Poller {
    private let queue: CInt
    let bell: Bell
    private let list: UnsafeMutableBufferPointer<halyard_ready>

    /// `nil` where the system has no more descriptors.
    init?() {
        queue = halyard_queue_make()
        bell = Bell(descriptor: halyard_bell_make())
        guard queue >= 0, bell.descriptor >= 0 else {
            if queue >= 0 { close(queue) }
            if bell.descriptor >= 0 { bell.free() }
            return nil
        }
        list = .allocate(capacity: 128)
        list.initialize(repeating: halyard_ready())
        halyard_queue_watch(queue, bell.descriptor, HALYARD__POLL_IN, true)
    }

    /// Watches a socket for what libcurl says (HALYARD__POLL_*).
    func watch(_ socket: CInt, for what: CInt, isNew: Bool) { halyard_queue_watch(queue, socket, what, isNew) }

    func forget(_ socket: CInt) { halyard_queue_forget(queue, socket) }

    /// Waits for sockets, or the bell, or at most so many milliseconds, and hands over each socket that is ready.
    func wait(_ milliseconds: Int32, onWaking: () -> Void, _ body: (_ socket: CInt, _ ready: CInt) -> Void) {
        let count = halyard_queue_wait(queue, list.baseAddress, CInt(list.count), milliseconds)
        onWaking()
        for event in list[..<Int(count)] {
            if event.socket == bell.descriptor { bell.silence() } else { body(event.socket, event.ready) }
        }
    }

    func free() {
        close(queue)
        bell.free()
        list.deallocate()
    }
}

/// What wakes the loop. Ringing it is the one thing that other threads do to it.
struct Bell: Sendable {
    let descriptor: CInt

    func ring() { halyard_bell_ring(descriptor) }
    func silence() { halyard_bell_silence(descriptor) }
    func free() { close(descriptor) }
}
