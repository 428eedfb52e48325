package import Dispatch
import HalyardHTTP

/// Where handlers run one after another: what is to be in order is so within a lane, and no lane waits for another.
package struct Lane: Sendable, Hashable {
    private let queue: ObjectIdentifier?

    package static let main = Lane(queue: nil)
    package static func of(_ queue: DispatchQueue) -> Lane { Lane(queue: ObjectIdentifier(queue)) }
}

/// A reader of a request's outcome.
enum OutcomeReader: Sendable {
    /// An await. It gets the outcome as soon as there is one, and waits for the progress handlers itself, where
    /// cancelling its task ends the wait.
    case awaiting(OneShot<Exchange>)
    /// A handler, called in its lane after the progress that is delivered there. Without a lane it is a future, which
    /// waits for no handler.
    case calling(Lane?, @Sendable (Exchange) async -> Void)

    init(lane: Lane?, tell: @escaping @Sendable (Exchange) async -> Void) { self = .calling(lane, tell) }
}

extension DispatchQueue {
    /// Calls a handler on this queue, and returns when it has.
    package func call<Value: Sendable>(_ handler: @escaping @Sendable (Value) -> Void, with value: Value) async {
        await withCheckedContinuation { continuation in
            async {
                handler(value)
                continuation.resume()
            }
        }
    }
}
