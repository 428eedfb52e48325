import HalyardHTTP

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

    /// The number of queues.
    package var count: Int { queues.count }

    /// Adds a handler to a queue.
    ///
    /// - Returns: Whether no task runs the queue, so that the caller must run it.
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
