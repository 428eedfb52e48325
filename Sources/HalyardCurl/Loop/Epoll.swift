import CHalyardCurl

import HalyardSystem

/// An epoll instance with a wakeup descriptor. The event loop's thread sleeps in it.
///
/// ``wait(_:)`` writes only to its own list of events. Therefore the thread may sleep in it while another thread owns
/// the event loop and changes the watched sockets.
struct Epoll {
    let descriptor: CInt
    let wakeup: WakeupDescriptor
    private let events: UnsafeMutableBufferPointer<halyard_socket_event>

    /// Makes an instance.
    ///
    /// - Returns: `nil` if the process cannot open more descriptors.
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

    /// Waits for a signal, and consumes all signals.
    ///
    /// - Parameter nanoseconds: The longest time to wait, less than a second. Defaults to no limit.
    func wait(nanoseconds: Int? = nil) { halyard_eventfd_wait(descriptor, nanoseconds ?? -1) }

    func free() { systemClose(descriptor) }
}

func systemClose(_ descriptor: CInt) { _ = close(descriptor) }
