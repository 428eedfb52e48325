import HalyardFoundation
import HalyardHTTP

/// The settings of one request: those of its route, or else of its client. All stages of the pipeline read it.
///
/// It is a class, so that all stages share one instance and copy nothing.
package final class RequestContext: Sendable {
    struct Settings: Sendable {
        /// The settings for the transport. The timeout is that of the whole request.
        var transfer = TransferContext()
        var redirects = RedirectPolicy.follow
        var retry = RetryPolicy.never
        /// The retries that the client's budget still allows.
        var retryTokens = Lock(RetryBudget().bucket)
        var time = PipelineTime(ContinuousClock())
        var log: RequestLog?
        /// The provider's origin. `nil` for a request that is not built for the provider's base URL.
        var providerOrigin: Origin?
        /// What the provider adds to the request. `nil` for a request outside of one.
        var provided: (any ProvidedValues)?
        /// The credentials for requests to ``providerOrigin``.
        var authentication = Authentication.none
        /// The hosts that redirects lead to over https only. `nil` without the policy.
        var hsts: HSTSStore?
        /// The values of the request's options for the stages of extension modules.
        var extensions: RequestOptions.Extensions = [:]
        /// Identifies the client that sends the request, while the request is sent.
        var client = ObjectIdentifier(RequestContext.self)
        /// What the authenticator added to the request that is being sent. `nil` if it added nothing, or if no
        /// interceptor can change the request afterwards.
        var credentials: AddedCredentials?
        /// Counts how often the request is passed to the transport. `nil` where no user code may be left behind.
        var sendCounter: SendCounter?
    }

    let settings: Settings
    /// The deadline, on the pipeline's clock.
    private let deadline: Duration?

    init(_ settings: consuming Settings, deadline: Duration?) {
        self.settings = settings
        self.deadline = deadline
    }

    /// The settings of a chain that a test makes of a closure: no deadline, no retries, no credentials.
    static let standard = RequestContext(Settings(), deadline: nil)

    package var transfer: TransferContext { settings.transfer }
    package var time: PipelineTime { settings.time }
    package var log: RequestLog? { settings.log }
    package var client: ObjectIdentifier { settings.client }

    /// Returns a context with other settings, for the stages below, and the same deadline.
    @inline(never)  // See `Pipeline`.
    func with(_ change: (inout Settings) -> Void) -> RequestContext {
        var settings = settings
        change(&settings)
        return RequestContext(settings, deadline: deadline)
    }

    /// The context for a request that reports no progress.
    package var withoutProgress: RequestContext { with { $0.transfer.progress = nil } }

    /// Returns the context for a transfer that several requests share: without the deadline of one of them. `progress`
    /// receives the progress of the transfer.
    package func shared(
        progress: @escaping @Sendable (TransferProgress.Direction, TransferProgress) -> Void
    ) -> RequestContext {
        var settings = settings
        settings.transfer.timeout = nil
        settings.transfer.progress = progress
        return RequestContext(settings, deadline: nil)
    }

    /// Returns the context with a value for a stage of an extension module. See ``value(of:)``.
    package func adding<Value: Sendable>(_ value: Value) -> RequestContext {
        with { $0.extensions[ObjectIdentifier(Value.self)] = value }
    }

    /// Returns the value of a type that the request's options have. `nil` if they have none.
    package func value<Value: Sendable>(of type: Value.Type) -> Value? {
        settings.extensions[ObjectIdentifier(type)] as? Value
    }

    /// The time until the deadline. `nil` without one.
    package var remaining: Duration? { deadline.map { $0 - time.now() } }

    /// Returns the settings of the transport for sending the request once. Throws ``HTTPError`` of kind `timedOut` if
    /// no time is left.
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
        error.fields.timeLimit == .request ? error.with { $0.reason = timeoutReason } : error
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

/// The turn of one request: another request, or the time, ends the wait for it.
package typealias Turn = CancellableWaiter<Void>

extension RequestContext {
    package var priority: RequestPriority { value(of: RequestPriority.self) ?? .normal }

    /// A longest time to wait, and the error after it.
    package typealias WaitLimit = (time: Duration, error: @Sendable () -> HTTPError)

    /// Waits for a turn, at most until a limit and the deadline, and logs how long it took, also if the wait ends with
    /// an error. `leave` removes the turn from its queue when the request stops waiting.
    package nonisolated(nonsending) func wait(
        for turn: Turn, _ request: HTTPRequest, _ name: String, atMost limit: WaitLimit? = nil,
        leave: @escaping @Sendable () -> Void
    ) async throws {
        let start = time.now()
        defer { log?.log(.delayed, request, delay: time.now() - start, note: name) }
        try await value(of: turn, atMost: limit, leave: leave)
    }

    /// Waits for a value, but not beyond the deadline. See ``wait(for:_:_:atMost:leave:)``.
    package nonisolated(nonsending) func value<Value: Sendable>(
        of waiter: CancellableWaiter<Value>, atMost limit: WaitLimit? = nil, leave: @escaping @Sendable () -> Void
    ) async throws -> Value {
        let timer = shorter(limit).map { limit in
            Task { [time] in
                try await time.sleep(limit.time)
                leave()
                waiter.end(with: .failure(limit.error()))
            }
        }
        defer { timer?.cancel() }
        return try await waiter.value(onCancel: leave)
    }

    /// The shorter of a limit and the time until the deadline.
    private func shorter(_ limit: WaitLimit?) -> WaitLimit? {
        guard let remaining else { return limit }
        if let limit, limit.time < remaining { return limit }
        return (remaining, { self.timeoutError })
    }
}
