import HalyardFoundation
import HalyardHTTP

/// The settings of one request: those of its route, or else of its client. All stages of the pipeline read it.
///
/// It is a class, so that all stages share one instance and copy nothing.
package final class RequestContext: Sendable {
    /// The settings for the transport. The timeout is that of the whole request.
    package let transfer: TransferContext
    let redirects: RedirectPolicy
    let retry: RetryPolicy
    /// The retries that the client's budget still allows.
    let retryTokens: Lock<TokenBucket>
    package let time: PipelineTime
    package let log: RequestLog?
    /// The provider's origin. `nil` for a request that is not built for the provider's base URL.
    let providerOrigin: Origin?
    /// What the provider adds to the request. `nil` for a request outside of one.
    let provided: (any ProvidedValues)?
    /// The credentials for requests to ``providerOrigin``.
    let authentication: Authentication
    /// What the authenticator added to the request that is being sent. `nil` if it added nothing, or if no interceptor
    /// can change the request afterwards.
    let credentials: AddedCredentials?
    /// The values of the request's options for the stages of extension modules. `nil` for none.
    private let extensions: RequestOptions.Extensions?
    /// The deadline, on the pipeline's clock.
    private let deadline: Duration?
    /// Counts how often the request is passed to the transport. `nil` where no user code may be left behind.
    let sendCounter: SendCounter?

    init(
        transfer: TransferContext = TransferContext(), redirects: RedirectPolicy = .follow, retry: RetryPolicy = .never,
        retryTokens: Lock<TokenBucket> = Lock(RetryBudget().bucket),
        time: PipelineTime = PipelineTime(ContinuousClock()),
        log: RequestLog? = nil, providerOrigin: Origin? = nil, provided: (any ProvidedValues)? = nil,
        authentication: Authentication = .none, extensions: RequestOptions.Extensions? = nil,
        client: ObjectIdentifier? = nil
    ) {
        self.client = client ?? ObjectIdentifier(Self.self)
        self.transfer = transfer
        self.redirects = redirects
        self.retry = retry
        self.retryTokens = retryTokens
        self.time = time
        self.log = log
        self.providerOrigin = providerOrigin
        self.provided = provided
        self.authentication = authentication
        self.extensions = extensions
        credentials = nil
        sendCounter = nil
        deadline = transfer.timeout.map { time.now() + $0 }
    }

    private init(
        _ other: RequestContext, transfer: TransferContext? = nil, authentication: Authentication,
        credentials: AddedCredentials?, extensions: RequestOptions.Extensions? = nil, hasDeadline: Bool = true,
        sendCounter: SendCounter? = nil
    ) {
        client = other.client
        self.transfer = transfer ?? other.transfer
        redirects = other.redirects
        retry = other.retry
        retryTokens = other.retryTokens
        time = other.time
        log = other.log
        providerOrigin = other.providerOrigin
        provided = other.provided
        self.extensions = extensions ?? other.extensions
        self.authentication = authentication
        self.credentials = credentials
        deadline = hasDeadline ? other.deadline : nil
        self.sendCounter = sendCounter ?? other.sendCounter
    }

    /// The settings of a chain that a test makes of a closure: no deadline, no retries, no credentials.
    static let standard = RequestContext()

    /// The settings after a redirect to another origin: no credentials, also for later redirects.
    var withoutCredentials: RequestContext { RequestContext(self, authentication: .none, credentials: nil) }

    /// The settings for a request that reports no progress.
    package var withoutProgress: RequestContext {
        var transfer = transfer
        transfer.progress = nil
        return RequestContext(self, transfer: transfer, authentication: authentication, credentials: credentials)
    }

    /// Returns the settings for a transfer that several requests share: without the deadline of one of them.
    ///
    /// - Parameter progress: Receives the progress of the transfer.
    package func shared(
        progress: @escaping @Sendable (TransferProgress.Direction, TransferProgress) -> Void
    ) -> RequestContext {
        var transfer = transfer
        transfer.timeout = nil
        transfer.progress = progress
        return RequestContext(
            self, transfer: transfer, authentication: authentication, credentials: credentials, hasDeadline: false)
    }

    /// Returns the settings with a value for a stage of an extension module. See ``value(of:)``.
    package func adding<Value: Sendable>(_ value: Value) -> RequestContext {
        var extensions = extensions ?? [:]
        extensions[ObjectIdentifier(Value.self)] = value
        return RequestContext(
            self, authentication: authentication, credentials: credentials, extensions: extensions)
    }

    /// Identifies the client that sends the request, while the request is sent.
    package let client: ObjectIdentifier

    /// The settings for a request to which the authenticator added credentials.
    func with(_ credentials: AddedCredentials) -> RequestContext {
        RequestContext(self, authentication: authentication, credentials: credentials)
    }

    /// The settings for a request whose sends are counted.
    func counting(_ sends: SendCounter) -> RequestContext {
        RequestContext(self, authentication: authentication, credentials: credentials, sendCounter: sends)
    }

    /// Returns the value of a type that the request's options have. `nil` if they have none.
    package func value<Value: Sendable>(of type: Value.Type) -> Value? {
        extensions?[ObjectIdentifier(type)] as? Value
    }

    /// The time until the deadline. `nil` without one.
    package var remaining: Duration? { deadline.map { $0 - time.now() } }

    /// Returns the settings of the transport for sending the request once.
    ///
    /// - Throws: ``HTTPError`` of kind `timedOut` if no time is left.
    @inline(never)  // See `Pipeline`.
    func transferContext() throws(HTTPError) -> TransferContext {
        guard let remaining, let timeout = transfer.timeout else { return transfer }
        guard remaining > .zero else { throw timeoutError }
        // Building the request takes microseconds: messages show the limit as the user set it.
        if timeout - remaining < .milliseconds(5) { return transfer }
        var transfer = transfer
        transfer.timeout = remaining
        return transfer
    }

    /// Returns an engine's error with the timeout of the whole request. The engine was given only the remaining time.
    @inline(never)  // See `Pipeline`.
    func withFullTimeout(_ error: HTTPError) -> HTTPError {
        guard error.timeLimit == .request else { return error }
        var error = error
        error.reason = timeoutReason
        return error
    }

    /// The error of a request that has reached its deadline.
    package var timeoutError: HTTPError { .exceeded(.request, reason: timeoutReason) }

    private var timeoutReason: String { "it took longer than \(transfer.timeout.map { "\($0)" } ?? "")" }
}

/// What a provider adds to each request, for telling its secrets.
protocol ProvidedValues: AnyObject, Sendable {
    var headers: HTTPHeaders { get }
    var params: Parameters { get }
    /// How lists of the parameters are written.
    var arrays: ParameterEncoding.ArrayStyle { get }
    var secretNames: Set<String> { get }
}

/// The number of times that a request was passed to the transport, for the error of a request that is left behind.
final class SendCounter: Sendable {
    private let value = Lock(0)

    var count: Int { value.withLock { $0 } }
    func increment() { value.withLock { $0 += 1 } }
}
