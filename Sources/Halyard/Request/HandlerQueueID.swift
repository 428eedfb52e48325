package import Dispatch

/// A place in which handlers run one after another: the main actor or a queue. Handlers in different lanes do not wait
/// for each other.
package struct Lane: Sendable, Hashable {
    private enum Place: Sendable, Hashable {
        case main
        case queue(ObjectIdentifier)
        case global(label: String)
    }

    private let place: Place

    /// The lane of handlers on the main actor.
    package static let main = Lane(place: .main)

    /// Returns the lane of a queue.
    ///
    /// On Linux each call of `DispatchQueue.global()` returns another object for the same queue. Its label identifies
    /// it.
    package static func of(_ queue: DispatchQueue) -> Lane {
        let label = queue.label
        if label.hasPrefix("com.apple.root.") { return Lane(place: .global(label: label)) }
        return Lane(place: .queue(ObjectIdentifier(queue)))
    }
}

extension DispatchQueue {
    /// Calls a handler on this queue, and waits until it has returned.
    package func call<Value: Sendable>(_ handler: @escaping @Sendable (Value) -> Void, with value: Value) async {
        await withCheckedContinuation { continuation in
            async {
                handler(value)
                continuation.resume()
            }
        }
    }
}
