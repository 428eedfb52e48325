public import HalyardSystem

/// A value that is shared by threads and is accessible only while its lock is held. Copies share one value.
///
/// `Synchronization.Mutex` needs iOS 18, and thread sanitizer reports false races for it on Linux.
///
/// It is inlinable, so that every module has code for its own types. Generic code of another module finds types at run
/// time, which took a tenth of the processor time of a future.
///
/// Decide inside ``withLock(_:)`` and act after it: do not resume a continuation or call a user's closure there.
@usableFromInline package struct Lock<State: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable` is sound: the state is accessed only in `withLock`, between lock and unlock of the
    // primitive beside it, whose address does not change while the buffer exists.
    #if canImport(Darwin)
        @usableFromInline typealias Primitive = os_unfair_lock
    #else
        @usableFromInline typealias Primitive = pthread_mutex_t
    #endif

    /// One allocation for the state and its lock.
    @usableFromInline final class Buffer: ManagedBuffer<State, Primitive> {
        deinit {
            withUnsafeMutablePointerToElements { primitive in
                #if !canImport(Darwin)
                    pthread_mutex_destroy(primitive)
                #endif
                primitive.deinitialize(count: 1)
            }
        }
    }

    @usableFromInline let buffer: ManagedBuffer<State, Primitive>

    @inlinable package init(_ state: State) {
        buffer = Buffer.create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { primitive in
                primitive.initialize(to: Primitive())
                #if !canImport(Darwin)
                    pthread_mutex_init(primitive, nil)
                #endif
            }
            return state
        }
    }

    /// Runs `body` with exclusive access to the state. Not reentrant. `body` receives the state. Throws what `body`
    /// throws.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try buffer.withUnsafeMutablePointers { (state, primitive) throws(Failure) -> Result in
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
