package import Dispatch
import HalyardHTTP

/// Where handlers run one after another: what is to be in order is so within a lane, and no lane waits for another.
package struct Lane: Sendable, Hashable {
    private let queue: ObjectIdentifier?

    package static func of(_ delivery: Delivery) -> Lane { Lane(queue: delivery.queue.map(ObjectIdentifier.init)) }
    package static func of(_ queue: DispatchQueue) -> Lane { Lane(queue: ObjectIdentifier(queue)) }
}

/// Somebody who waits for the outcome of a request.
struct OutcomeReader: Sendable {
    /// The lane of a handler; nil for an await, which is told at once.
    let lane: Lane?
    let tell: @Sendable (Exchange) async -> Void
}
