public import HalyardFoundation
public import HalyardHTTP

extension HTTPProvider {
    /// The same API, of which nothing reaches a network: for a demonstration, a preview, a test.
    ///
    /// All of building, interceptors, validating, decoding and logging runs. A request is answered by its endpoint's
    /// `stub:`, where it has one, and else by an empty 200.
    ///
    /// ```swift
    /// let user = try await api.dry().send(People.find("42"))
    /// ```
    public func dry() -> DryProvider<Self> { DryProvider(base: self) }

    /// Whether nothing of it reaches a network.
    public var isDry: Bool { client._chosen.isDry }
}

/// An API whose requests are answered without a network; see ``HTTPProvider/dry()``. What the API has beside is at
/// hand: `api.dry().region` is `api.region`.
@dynamicMemberLookup
public struct DryProvider<Base: HTTPProvider>: HTTPProvider {
    /// The API itself.
    public let base: Base

    /// The API's own properties.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Base, Value>) -> Value { base[keyPath: keyPath] }

    /// The API's.
    public var baseURL: URL { base.baseURL }
    /// The API's.
    public var additionalHeaders: Base.AdditionalHeaders { base.additionalHeaders }
    /// The API's.
    public var additionalParams: Base.AdditionalParams { base.additionalParams }
    /// The API's client, over an engine that sends nothing.
    public var client: HTTPClient { base.client._chosen.dry() }
    /// The API's.
    public var mapper: Base.ChosenMapper { base.mapper }
    /// The API's.
    public var serializers: Base.ChosenSerializers { base.serializers }
    /// The API's.
    public var authentication: Base.ChosenAuthentication { base.authentication }
    /// The API's.
    public var secretNames: Base.ChosenSecretNames { base.secretNames }

    /// The API's.
    public func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding { base.defaultEncoding(for: method) }
    /// The API's.
    public func validate(_ response: HTTPResponse) async throws { try await base.validate(response) }
    /// The API's.
    public func shouldContinue(with error: any Error) async -> Bool { await base.shouldContinue(with: error) }
    /// The API's.
    public func log(_ event: LogEvent) -> Base.Logged { base.log(event) }
}
