/// A policy for all requests of a client, such as a cache. Extension modules provide policies:
///
/// ```swift
/// import HalyardCache
/// let client = HTTPClient(configuration: .init(policies: [.cache(.memory())]))
/// ```
///
/// Clients with the same policy share its state, such as the responses of a cache.
public struct ClientPolicy: Sendable {
    /// Where the stage of a policy is in the pipeline. `Pipeline.swift` has the order.
    package enum Place: Sendable {
        /// A request gets another URL before anything else.
        case upgrade
        /// A stored response is used.
        case cache
        /// Requests share a transfer.
        case coalescing
        /// Something is learned from a response of a server.
        case learning
        /// A request is sent twice.
        case hedging
        /// A request is refused before it waits.
        case admission
        /// A request waits for others to end.
        case concurrency
        /// A request waits for the time.
        case rate
        /// A request waits for nothing more in the pipeline.
        case sending
        /// A request is part of a trace.
        case tracing
    }

    fileprivate let stages: [(place: Place, stage: any Interceptor)]

    package init(_ place: Place, _ stage: any Interceptor) { stages = [(place, stage)] }

    /// Makes a policy of several stages that share a state.
    package init(_ stages: [(place: Place, stage: any Interceptor)]) { self.stages = stages }

    /// The policy without its stages at other places.
    func only(at places: Set<Place>) -> ClientPolicy { ClientPolicy(stages.filter { places.contains($0.place) }) }
}

extension [ClientPolicy] {
    /// The stages at a place of the pipeline, in the order of the policies.
    func stages(at place: ClientPolicy.Place) -> [any Interceptor] {
        flatMap(\.stages).filter { $0.place == place }.map(\.stage)
    }
}
