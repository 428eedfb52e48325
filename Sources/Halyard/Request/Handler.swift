package import Dispatch

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
