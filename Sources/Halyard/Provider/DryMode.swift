public import HalyardFoundation
public import HalyardHTTP

extension HTTPProvider {
    /// Returns a provider for the same API that sends nothing, for a demo, a preview or a test.
    ///
    /// Building, interceptors, policies, limits, validation, decoding and logging run as usual, with the same clock and
    /// retry budget. The response is the `stub:` of the request's endpoint, or an empty 200. To see what would be sent,
    /// give the client a log: it shows the whole URL, with any parameters that a `body:` has moved to the query.
    ///
    /// ```swift
    /// let user = try await api.dry().send(People.find("42"))
    /// ```
    public func dry() -> DryProvider<Self> { DryProvider(base: self) }

    /// Whether the provider's client sends nothing.
    public var isDry: Bool { client.isDry }
}

extension HTTPClient {
    /// Returns a client that sends nothing, with the same interceptors, configuration, policies, limits, budget and
    /// clock. See ``HTTPProvider/dry()``.
    public func dry() -> HTTPClient { dry(stub: nil) }

    /// Whether the client sends nothing; see ``dry()``.
    public var isDry: Bool { transport is DryTransport }

    /// Returns a client for one request: a client in dry mode answers it with a stub.
    func stubbedIfDry(_ stub: @escaping DryTransport.Stub) -> HTTPClient { isDry ? dry(stub: stub) : self }

    private func dry(stub: DryTransport.Stub?) -> HTTPClient {
        sending(over: DryTransport(time: time, stub: stub), configuration)
    }
}

/// Answers with the stub of the request's endpoint, or with an empty 200.
struct DryTransport: Transport {
    typealias Stub = @Sendable () throws -> StubResponse

    let time: PipelineTime
    /// `nil` if the endpoint has none.
    let stub: Stub?

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        try Task.checkCancellation()
        let response = try stub?() ?? .status(200)
        return try await response.answer(to: request, uploading: request.body?.length ?? 0, context, time)
    }
}

/// A provider whose requests are answered without a network. See ``HTTPProvider/dry()``.
///
/// ```swift
/// let dry = api.dry()
/// try await dry.request(.me).void()  // an empty 200, and nothing is sent
/// ```
///
/// It has the properties of its base: `api.dry().region` is `api.region`.
@dynamicMemberLookup
public struct DryProvider<Base: HTTPProvider>: HTTPProvider {
    /// The provider of the API.
    public let base: Base
    /// The base's client, with a transport that sends nothing.
    public let client: HTTPClient

    init(base: Base) {
        self.base = base
        client = base.client.dry()
    }

    /// A property of the base.
    public subscript<Value>(dynamicMember keyPath: KeyPath<Base, Value>) -> Value { base[keyPath: keyPath] }

    // Everything else is the base's.

    /// See ``HTTPProvider/baseURL``.
    public var baseURL: URL { base.baseURL }
    /// See ``HTTPProvider/additionalHeaders``.
    public var additionalHeaders: Base.AdditionalHeaders { base.additionalHeaders }
    /// See ``HTTPProvider/additionalParams``.
    public var additionalParams: Base.AdditionalParams { base.additionalParams }
    /// See ``HTTPProvider/log``.
    public var log: EventLog { base.log }
    /// See ``HTTPProvider/mapper``.
    public var mapper: ObjectMapper { base.mapper }
    /// See ``HTTPProvider/serializers``.
    public var serializers: Serializers { base.serializers }
    /// See ``HTTPProvider/authentication``.
    public var authentication: Authentication { base.authentication }
    /// See ``HTTPProvider/secretNames``.
    public var secretNames: [String] { base.secretNames }
    /// See ``HTTPProvider/failures``.
    public var failures: Failures { base.failures }

    /// See ``HTTPProvider/defaultEncoding(for:)``.
    public func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding { base.defaultEncoding(for: method) }
    /// See ``HTTPProvider/validate(_:)``.
    public func validate(_ response: HTTPResponse) async throws { try await base.validate(response) }
    /// See ``HTTPProvider/shouldContinue(with:)``.
    public func shouldContinue(with error: any Error) async -> Bool { await base.shouldContinue(with: error) }
}
