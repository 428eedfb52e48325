public import HalyardFoundation
public import HalyardHTTP

extension HTTPProvider {
    /// Returns a provider for the same API that sends nothing, for a demonstration, a preview or a test.
    ///
    /// Building, interceptors, policies, limits, validating, decoding and logging run as usual, on the same clock and
    /// budget. The response is the `stub:` of the
    /// request's endpoint, or an empty 200.
    ///
    /// ```swift
    /// let user = try await api.dry().send(People.find("42"))
    /// ```
    ///
    /// - Returns: The provider.
    public func dry() -> DryProvider<Self> { DryProvider(base: self) }

    /// Whether the provider's client sends nothing.
    public var isDry: Bool { client._value.isDry }
}

/// A provider whose requests are answered without a network. See ``HTTPProvider/dry()``.
///
/// It has the properties of its base: `api.dry().region` is `api.region`.
@dynamicMemberLookup
public struct DryProvider<Base: HTTPProvider>: HTTPProvider {
    /// The provider of the API.
    public let base: Base
    /// The client of the base, with an engine that sends nothing.
    public let client: HTTPClient

    init(base: Base) {
        self.base = base
        client = base.client._value.dry()
    }

    /// A property of the base.
    ///
    /// - Parameter keyPath: The property.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Base, Value>) -> Value { base[keyPath: keyPath] }

    /// The base URL of the base.
    public var baseURL: URL { base.baseURL }
    /// The header fields of the base.
    public var additionalHeaders: Base.AdditionalHeaders { base.additionalHeaders }
    /// The parameters of the base.
    public var additionalParams: Base.AdditionalParams { base.additionalParams }
    /// The mapper of the base.
    public var mapper: Base.ChosenMapper { base.mapper }
    /// The serializers of the base.
    public var serializers: Base.ChosenSerializers { base.serializers }
    /// The credentials of the base.
    public var authentication: Base.ChosenAuthentication { base.authentication }
    /// The secret names of the base.
    public var secretNames: Base.ChosenSecretNames { base.secretNames }
    /// The error types of the base.
    public var failures: Base.ChosenFailures { base.failures }

    /// Returns the encoding of the base.
    ///
    /// - Parameter method: The method of the request.
    /// - Returns: The encoding.
    public func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding { base.defaultEncoding(for: method) }
    /// Validates a response as the base does.
    ///
    /// - Parameter response: The response.
    /// - Throws: The error of the base.
    public func validate(_ response: HTTPResponse) async throws { try await base.validate(response) }
    /// Decides about an error as the base does.
    ///
    /// - Parameter error: The error.
    /// - Returns: Whether the error is delivered to the caller.
    public func shouldContinue(with error: any Error) async -> Bool { await base.shouldContinue(with: error) }
    /// Logs an event as the base does.
    ///
    /// - Parameter event: The event.
    /// - Returns: The result of the base.
    public func log(_ event: LogEvent) -> Base.Logged { base.log(event) }
}
