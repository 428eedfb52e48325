package import Dispatch
import HalyardHTTP

/// Identifies where handlers run one after another: on the main actor or on a dispatch queue. Handlers with different
/// IDs do not wait for each other.
package struct HandlerQueueID: Sendable, Hashable {
    private enum Place: Sendable, Hashable {
        case main
        case queue(ObjectIdentifier)
        case global(label: String)
    }

    private let place: Place

    /// The ID of handlers on the main actor.
    package static let main = HandlerQueueID(place: .main)

    /// Returns the ID of a dispatch queue.
    ///
    /// On Linux each access to `DispatchQueue.main` or `DispatchQueue.global()` returns another object for the same
    /// queue. Its label identifies it. The main queue is where the main actor runs.
    package static func of(_ queue: DispatchQueue) -> HandlerQueueID {
        let label = queue.label
        if label == "com.apple.main-thread" { return main }
        if label.hasPrefix("com.apple.root.") { return HandlerQueueID(place: .global(label: label)) }
        return HandlerQueueID(place: .queue(ObjectIdentifier(queue)))
    }
}

/// A handler, with the place where it runs.
package enum Handler<Value: Sendable>: Sendable {
    case main(@MainActor (Value) -> Void)
    case queue(DispatchQueue, @Sendable (Value) -> Void)

    /// Where the handler runs.
    package var queueID: HandlerQueueID {
        switch self {
        case .main: .main
        case .queue(let queue, _): .of(queue)
        }
    }

    /// Calls the handler, and waits until it has returned.
    package func call(with value: Value) async {
        switch self {
        case .main(let handler): await handler(value)
        case .queue(let queue, let handler):
            await withCheckedContinuation { continuation in
                queue.async {
                    handler(value)
                    continuation.resume()
                }
            }
        }
    }

    /// Calls the handler, and calls `next` after it has returned. Does not wait for a handler on a queue, which saves
    /// the way back to the task.
    package func call(with value: Value, then next: @escaping @Sendable () -> Void) async {
        switch self {
        case .main(let handler):
            await handler(value)
            next()
        case .queue(let queue, let handler):
            queue.async {
                handler(value)
                next()
                withExtendedLifetime(queue) {}  // Its address is its ID, until its last handler has returned.
            }
        }
    }
}

/// The handlers that wait behind others, in queues. The handlers of one queue run one after another, in order. Adding
/// one does not call it.
///
/// A queue exists until its last handler has returned. The owner keeps this value in a ``Lock``.
package struct HandlerQueues: Sendable {
    /// Calls a handler, and calls `next`, once, after it has returned.
    package typealias Handler = @Sendable (_ next: @escaping @Sendable () -> Void) async -> Void

    private struct Queue: Sendable {
        let id: HandlerQueueID
        /// The handlers that wait for the one that runs.
        var waiting = FIFO<Handler>()
    }

    private var queues = FIFO<Queue>()

    package init() {}

    package var count: Int { queues.count }

    /// Adds a handler to a queue. Returns whether it is the first, so that the caller must run it. Otherwise it waits.
    package mutating func add(_ handler: @escaping Handler, to id: HandlerQueueID) -> Bool {
        guard var queue = queues.removeFirst(where: { $0.id == id }) else {
            queues.append(Queue(id: id))
            return true
        }
        queue.waiting.append(handler)
        queues.append(queue)
        return false
    }

    /// Takes the next handler of a queue, after one has returned. If there is none, the queue ends.
    package mutating func next(of id: HandlerQueueID) -> Handler? {
        guard var queue = queues.removeFirst(where: { $0.id == id }) else { return nil }
        guard let handler = queue.waiting.removeFirst() else { return nil }
        queues.append(queue)
        return handler
    }

    /// Runs the first handler of a queue in the caller's task. Each of those that follow has a task of its own, which
    /// does not have the caller's task-local values if the handler before it ran on a dispatch queue.
    ///
    /// - Parameter next: Takes the next handler; see ``next(of:)``.
    package nonisolated(nonsending) static func run(
        _ handler: Handler, then next: @escaping @Sendable () -> Handler?
    ) async {
        await handler {
            if let following = next() { Task { await run(following, then: next) } }
        }
    }
}
