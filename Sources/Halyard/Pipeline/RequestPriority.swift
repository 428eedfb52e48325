/// Which of the requests that wait for a limit is sent first.
///
/// ```swift
/// let prefetch = Route(path: "/next").priority(.low)
/// ```
///
/// While all three priorities wait, 16 of 21 requests that leave a queue are of high priority, 4 of normal and 1 of low.
/// So none waits forever: between two requests of low priority, at most 22 others leave the queue, however many come.
/// Requests of the same priority are sent in the order in which they came.
public struct RequestPriority: Sendable, Hashable, CustomStringConvertible {
    /// The place in the list of priorities. 0 is the highest.
    let index: Int
    /// The name: `high`, `normal` or `low`.
    public let description: String

    /// Before others: something that a user waits for.
    public static let high = RequestPriority(index: 0, description: "high")
    /// The default.
    public static let normal = RequestPriority(index: 1, description: "normal")
    /// After others: a request whose result is not needed yet.
    public static let low = RequestPriority(index: 2, description: "low")

    /// The number of steps that a queue counts for one request of each priority: the inverse of its share.
    static let strides = [1, 4, 16]
}

extension RequestConfigurable {
    /// Returns a copy with a priority among the requests that wait for `requestsInFlight` of the client or for a limit of
    /// HalyardLimits. Without a limit it makes no difference.
    ///
    /// - Parameter priority: The priority. Requests without one have ``RequestPriority/normal``.
    public func priority(_ priority: RequestPriority) -> Self { configured { $0[RequestPriority.self] = priority } }
}
