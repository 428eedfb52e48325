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
    /// On Linux each call of `DispatchQueue.global()` returns another object for the same queue. Its label identifies
    /// it.
    package static func of(_ queue: DispatchQueue) -> HandlerQueueID {
        let label = queue.label
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
        case .queue(let queue, let handler): await queue.call(handler, with: value)
        }
    }
}

extension DispatchQueue {
    /// Calls a handler on this queue, and waits until it has returned.
    fileprivate func call<Value: Sendable>(_ handler: @escaping @Sendable (Value) -> Void, with value: Value) async {
        await withCheckedContinuation { continuation in
            async {
                handler(value)
                continuation.resume()
            }
        }
    }
}

/// The handlers that run or wait, in queues. The handlers of one queue run one after another, in order. Adding one does
/// not call it.
///
/// A queue exists while a task runs it. The owner keeps this value in a ``Lock``.
package struct HandlerQueues: Sendable {
    package typealias Handler = @Sendable () async -> Void

    private struct Queue: Sendable {
        let id: HandlerQueueID
        var waiting: [Handler]
    }

    private var queues: [Queue] = []

    package init() {}

    package var count: Int { queues.count }

    /// Adds a handler to a queue. Returns whether no task runs the queue, so that the caller must run it.
    package mutating func add(_ handler: @escaping Handler, to id: HandlerQueueID) -> Bool {
        if let index = queues.firstIndex(where: { $0.id == id }) {
            queues[index].waiting.append(handler)
            return false
        }
        queues.append(Queue(id: id, waiting: [handler]))
        return true
    }

    /// Takes the waiting handlers of a queue. If there are none, the queue ends.
    package mutating func next(of id: HandlerQueueID) -> [Handler] {
        guard let index = queues.firstIndex(where: { $0.id == id }) else { return [] }
        let waiting = queues[index].waiting
        if waiting.isEmpty { queues.remove(at: index) } else { queues[index].waiting = [] }
        return waiting
    }

    /// Runs a queue in the caller's task, with the handlers that are added meanwhile.
    ///
    /// - Parameter next: Takes the waiting handlers; see ``next(of:)``.
    package nonisolated(nonsending) static func run(_ next: () -> [Handler]) async {
        while true {
            let handlers = next()
            if handlers.isEmpty { return }
            for handler in handlers { await handler() }
        }
    }
}
