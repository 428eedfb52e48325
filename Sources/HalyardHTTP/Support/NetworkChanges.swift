import Dispatch
import HalyardSystem

#if canImport(Darwin)
    import Network
#endif

extension NetworkRoute {
    /// Waits until there is a route to an origin, or until the task is cancelled.
    package static func wait(to origin: Origin) async {
        for await _ in NetworkChanges.stream() where exists(to: origin) { return }
    }
}

/// Changes of the system's network: of links, addresses and routes.
///
/// The system is watched only while a request waits for a network, once for all requests.
private enum NetworkChanges {
    private struct State {
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastID = 0
        /// Exists while there is an observer.
        var watch: Watch?
    }

    private static let state = Lock(State())

    /// Returns a stream with an element now, and one after each change. Changes that follow each other quickly may have
    /// one element.
    static func stream() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state in
                state.lastID += 1
                state.observers[state.lastID] = continuation
                if state.watch == nil { state.watch = Watch(notify) }
                return state.lastID
            }
            continuation.onTermination = { _ in removeObserver(id) }
            continuation.yield()
        }
    }

    private static func notify() {
        for observer in state.withLock({ Array($0.observers.values) }) { observer.yield() }
    }

    private static func removeObserver(_ id: Int) {
        let watch = state.withLock { state in
            state.observers[id] = nil
            return state.observers.isEmpty ? state.watch.take() : nil
        }
        watch?.cancel()
    }
}

/// Calls a closure after each change of the network, and from time to time, because some systems (such as containers
/// and sandboxes) report no changes.
private struct Watch: @unchecked Sendable {
    // `@unchecked Sendable` is sound: the sources are set up here, and only cancelled later, which any thread may do.
    private let timer: any DispatchSourceTimer
    #if canImport(Darwin)
        private let monitor = NWPathMonitor()
    #else
        private let messages: (any DispatchSourceRead)?
    #endif

    init(_ notify: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "Halyard.Network")
        timer = DispatchSource.makeTimerSource(queue: queue)
        #if canImport(Darwin)
            monitor.pathUpdateHandler = { _ in notify() }
            monitor.start(queue: queue)
            let interval = 10
        #else
            messages = RouteMessages.open().map { descriptor in
                let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
                source.setEventHandler {
                    RouteMessages.skip(descriptor)
                    notify()
                }
                source.setCancelHandler { close(descriptor) }
                source.resume()
                return source
            }
            let interval = messages == nil ? 1 : 10
        #endif
        timer.setEventHandler(handler: notify)
        timer.schedule(deadline: .now() + .seconds(interval), repeating: .seconds(interval), leeway: .milliseconds(100))
        timer.resume()
    }

    func cancel() {
        timer.cancel()
        #if canImport(Darwin)
            monitor.cancel()
        #else
            messages?.cancel()
        #endif
    }
}

#if !canImport(Darwin)
    /// The messages of the Linux kernel about its network (rtnetlink(7)).
    private enum RouteMessages {
        /// `sockaddr_nl` of `linux/netlink.h`, which the modules of the C libraries do not contain.
        private struct Address {
            var family = sa_family_t(AF_NETLINK)
            var padding: UInt16 = 0
            var port: UInt32 = 0
            /// Links, and the addresses and routes of IPv4 and IPv6.
            var groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
        }

        /// Opens a socket for the messages. `nil` if the system allows none, as Android.
        static func open() -> CInt? {
            let descriptor = socket(AF_NETLINK, NetworkRoute.datagram, 0)
            guard descriptor >= 0 else { return nil }
            var address = Address()
            let size = socklen_t(MemoryLayout<Address>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
            }
            guard isBound else {
                close(descriptor)
                return nil
            }
            return descriptor
        }

        /// Takes all messages. Only their existence counts. An overflow of the socket is one, too.
        static func skip(_ descriptor: CInt) {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, CInt(MSG_DONTWAIT)) >= 0 || errno == ENOBUFS || errno == EINTR {}
        }
    }
#endif
