#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A value that several threads share, reachable only while its lock is held. Its copies are the same lock.
///
/// `Synchronization.Mutex` would do the same, but under thread sanitizer on Linux it reports races that are
/// none, and it needs iOS 18.
///
/// Decide inside ``withLock(_:)``, act after it: never resume a continuation or call somebody's closure there.
package struct Lock<State: Sendable>: @unchecked Sendable {
    // Unchecked, and sound: the state is touched only in `withLock`, between lock and unlock of the primitive behind
    // it, which lives at one address for as long as the room does.
    #if canImport(Darwin)
        private typealias Primitive = os_unfair_lock
    #else
        private typealias Primitive = pthread_mutex_t
    #endif

    /// The state, and its lock behind it: one piece of memory.
    private final class Room: ManagedBuffer<State, Primitive> {
        deinit {
            withUnsafeMutablePointerToElements { primitive in
                #if !canImport(Darwin)
                    pthread_mutex_destroy(primitive)
                #endif
                primitive.deinitialize(count: 1)
            }
        }
    }

    private let room: ManagedBuffer<State, Primitive>

    package init(_ state: State) {
        room = Room.create(minimumCapacity: 1) { room in
            room.withUnsafeMutablePointerToElements { primitive in
                primitive.initialize(to: Primitive())
                #if !canImport(Darwin)
                    pthread_mutex_init(primitive, nil)
                #endif
            }
            return state
        }
    }

    /// Runs `body` with the only access to the state that there is. Not reentrant.
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try room.withUnsafeMutablePointers { (state, primitive) throws(Failure) -> Result in
            #if canImport(Darwin)
                os_unfair_lock_lock(primitive)
                defer { os_unfair_lock_unlock(primitive) }
            #else
                pthread_mutex_lock(primitive)
                defer { pthread_mutex_unlock(primitive) }
            #endif
            return try body(&state.pointee)
        }
    }
}
