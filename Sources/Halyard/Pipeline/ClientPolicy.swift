/// A policy for all requests of a client, such as a cache. An extension module makes it:
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
        case cache
        case tracing
    }

    fileprivate let place: Place
    fileprivate let stage: any Interceptor

    /// Makes a policy of a stage.
    package init(_ place: Place, _ stage: any Interceptor) {
        self.place = place
        self.stage = stage
    }
}

extension [ClientPolicy] {
    /// The stages at a place of the pipeline, in the order of the policies.
    func stages(at place: ClientPolicy.Place) -> [any Interceptor] { filter { $0.place == place }.map(\.stage) }
}
