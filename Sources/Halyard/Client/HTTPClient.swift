public import HalyardHTTP

/// Sends requests with an engine, interceptors, limits and a log.
///
/// The client owns the connection pool. Providers are values that use ``shared`` by default, and so share its
/// connections.
///
/// ```swift
/// let client = HTTPClient(interceptors: [Signing(key: key)], configuration: .init(timeout: .seconds(5)))
/// let api = MusicAPI(client: client)
/// ```
public final class HTTPClient: Sendable {
    /// The client of all providers that do not set another.
    public static let shared = HTTPClient()

    /// The engine that sends the requests.
    public let transport: any Transport
    /// The interceptors for requests. Each runs once per request. The first is the outermost.
    public let interceptors: [any Interceptor]
    /// The interceptors for sends. Each runs every time a request is sent, including redirects and retries.
    ///
    /// Use one to sign or count requests. An interceptor that adds credentials must compare the request's `origin` with
    /// the ``Origin`` that they are for, because a redirect may lead to another origin. The cookies of a jar are
    /// already in the request. If the interceptor changes the origin, they are removed; see ``Interceptor``.
    public let networkInterceptors: [any Interceptor]
    /// The client's limits and defaults.
    public let configuration: Configuration
    /// The log that receives the events of the client's requests.
    public let log: EventLog
    package let time: PipelineTime
    let baseURLs = BaseURLCache()
    private let retryTokens: Lock<TokenBucket>
    private let limit: ConcurrencyLimit?
    private let pipeline: Pipeline

    /// Creates a client with the engine of the platform. The engine stops when the client has been released and its
    /// transfers have ended.
    public convenience init(
        engine: EngineConfiguration = EngineConfiguration(),
        interceptors: [any Interceptor] = [],
        networkInterceptors: [any Interceptor] = [],
        configuration: Configuration = Configuration(),
        log: EventLog = .silent
    ) {
        self.init(
            transport: PlatformTransport.make(engine), interceptors: interceptors,
            networkInterceptors: networkInterceptors, configuration: configuration, log: log)
    }

    /// Creates a client with a custom transport or a stub. The clock measures deadlines and the waits before retries; a
    /// test can pass its own. The engine has its own clock.
    public convenience init(
        transport: any Transport,
        interceptors: [any Interceptor] = [],
        networkInterceptors: [any Interceptor] = [],
        configuration: Configuration = Configuration(),
        log: EventLog = .silent,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.init(
            transport: transport, interceptors: interceptors, networkInterceptors: networkInterceptors,
            configuration: configuration, log: log, time: PipelineTime(clock))
    }

    /// Makes a client that shares the budget of retries and the limit of requests of another client.
    package init(
        transport: any Transport, interceptors: [any Interceptor] = [], networkInterceptors: [any Interceptor] = [],
        configuration: Configuration = Configuration(), log: EventLog = .silent, time: PipelineTime,
        sharing other: HTTPClient? = nil
    ) {
        self.transport = transport
        self.interceptors = interceptors
        self.networkInterceptors = networkInterceptors
        self.configuration = configuration
        self.log = log
        self.time = time
        retryTokens = other?.retryTokens ?? Lock(configuration.retryBudget.bucket)
        limit = other.map(\.limit) ?? configuration.requestsInFlight.map { ConcurrencyLimit($0) }
        pipeline = Pipeline(
            interceptors: interceptors, networkInterceptors: networkInterceptors, cookies: configuration.cookies,
            policies: configuration.policies, limit: limit, transport: transport)
        if !log.isSilent, let warning = LogEvent(ignoring: transport.ignoredSettings) { log(warning) }
    }

    /// Returns a client with the same interceptors, cookies, budget of retries, limit of requests and log, which sends
    /// over another transport. Of the policies it has those that change a request's URL, and none of extension modules.
    package func sending(over transport: any Transport) -> HTTPClient {
        var configuration = configuration
        configuration.policies = configuration.policies.map { $0.only(at: [.upgrade, .learning]) }
        return sending(over: transport, configuration)
    }

    /// Returns a client with the same clock, interceptors, budget of retries, limit of requests and log.
    func sending(over transport: any Transport, _ configuration: Configuration) -> HTTPClient {
        HTTPClient(
            transport: transport, interceptors: interceptors, networkInterceptors: networkInterceptors,
            configuration: configuration, log: log, time: time, sharing: self)
    }

    /// Ends every request and stream with ``HTTPError`` of kind `shutDown`. Later requests fail with the same kind.
    ///
    /// You do not have to shut down a client. Its engine stops when the last reference is released and its transfers
    /// have ended.
    public func shutdown() { transport.shutdown() }

    /// Sends one request through the pipeline, without a provider's hooks, and returns the response, whatever its
    /// status.
    ///
    /// - Throws: ``HTTPError`` if there is no response; `CancellationError` if the task is cancelled; errors that
    ///   interceptors throw.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await send(request, options: RequestOptions())
    }

    /// Sends one request as ``send(_:)`` does, with options of its own.
    package func send(_ request: HTTPRequest, options: RequestOptions) async throws -> HTTPResponse {
        let log = RequestLog(log)
        do {
            let response = try await chain(for: request, log: log, options: options).proceed(request)
            if let file = response.downloadFile {
                do { try await response.requireDigest(of: file, request) } catch {
                    file.end(isRefused: error is HTTPError)
                    throw error
                }
                try file.commit()
            }
            return response
        } catch {
            log?.failed(request, nil, error)
            throw error
        }
    }

    /// Returns the pipeline for a request that starts now. The caller renames a downloaded file to its target. Its
    /// options take precedence over the client's settings. This function sets the time limits of `transfer`.
    @inline(never)  // See `Pipeline`.
    func chain(
        for request: HTTPRequest, log: RequestLog?, options: RequestOptions = RequestOptions(),
        providerOrigin: Origin? = nil, provided: (any ProvidedValues)? = nil,
        authentication: Authentication = .none, transfer: TransferContext = TransferContext()
    ) -> Chain {
        let redirects = options.redirects ?? configuration.redirects
        var transfer = transfer
        transfer.timeout = options.timeout ?? configuration.timeout
        transfer.connectTimeout = options.connectTimeout ?? configuration.connectTimeout
        transfer.idleTimeout = options.idleTimeout ?? configuration.idleTimeout
        transfer.informational = options.informational
        transfer.expectsContinue = options.expectsContinue
        transfer.followsRedirects = redirects.limit > 0
        // The settings are not kept in a variable, because the compiler would copy them.
        let context = RequestContext(
            RequestContext.Settings(
                transfer: transfer, redirects: redirects, retry: options.retry ?? configuration.retry,
                retryTokens: retryTokens, time: time, log: log, providerOrigin: providerOrigin, provided: provided,
                authentication: authentication, extensions: options.extensions, client: ObjectIdentifier(self)),
            deadline: transfer.timeout.map { time.now() + $0 })
        return pipeline.chain(for: request, context)
    }
}

extension HTTPClient {
    /// Returns the delay before a GET is sent again whose response has broken off. The attempts count from 1. Throws the
    /// error if the policy or the budget of retries allows no further attempt.
    package func retryDelay(
        after error: any Error, to request: HTTPRequest, attempt: Int, _ options: RequestOptions
    ) throws -> Duration {
        let retry = Retry(policy: options.retry ?? configuration.retry, now: time.date(), random: time.random())
        // The next request waits for a network itself. Without a limit of attempts here, a server could cause a loop.
        let decision = retry.decision(
            after: .failure(error), to: request, attempt: attempt, remaining: nil, hasNetwork: { _ in true })
        guard case .retry(let delay) = decision else { throw error }
        guard retryTokens.withLock({ $0.tryTake() }) else {
            let reason = "it is not retried: the client's retryBudget is used up"
            throw (error as? HTTPError)?.adding(reason: reason) ?? error
        }
        return delay
    }
}

extension HTTPClient {
    /// The limits and policies of a client. Times are rounded to milliseconds.
    public struct Configuration: Sendable {
        /// The timeout for a whole request, including redirects, retries and waits, such as the wait for a free
        /// connection. Defaults to none, so that a long download can finish. ``idleTimeout`` ends a transfer that makes
        /// no progress.
        public var timeout: Duration?
        /// The timeout for name lookup, connecting and TLS. Defaults to the engine's, which is 15 seconds.
        public var connectTimeout: Duration?
        /// The maximum time without any bytes in either direction. Defaults to the engine's, which is 60 seconds.
        public var idleTimeout: Duration?
        /// The maximum number of response bytes that are kept in memory. Defaults to 64 MiB.
        public var memoryLimit: Int
        /// The headers of every request. The provider's and the route's take precedence. Defaults to `Accept: */*` and
        /// `User-Agent: Halyard`.
        public var headers: HTTPHeaders
        /// The serializers that write and read values of other types. The provider's take precedence. Defaults to none.
        public var serializers: Serializers
        /// The redirect policy. Defaults to ``RedirectPolicy/follow``: at most 20 redirects, none from https to http.
        public var redirects: RedirectPolicy
        /// The retry policy. Defaults to ``RetryPolicy/never``.
        public var retry: RetryPolicy
        /// The retry budget that all requests of the client share. Defaults to one retry for five requests, with bursts
        /// of ten.
        public var retryBudget: RetryBudget
        /// The maximum number of requests in the engine at once. Defaults to no limit.
        ///
        /// Further requests queue by ``RequestPriority``, and within a priority first in, first out. The wait counts
        /// against their deadline. A stream counts until its headers have arrived. The engine's connection limit
        /// applies as well.
        public var requestsInFlight: Int?
        /// The jar that stores cookies and adds them to requests. Defaults to `nil`: the client then sends only cookies
        /// that you add.
        public var cookies: CookieJar?
        /// The compression of the bodies of routes and endpoints. Defaults to ``BodyCompression/none``.
        public var compression: BodyCompression

        /// The policies of extension modules, such as the cache of HalyardCache and the limits of HalyardLimits. Each
        /// kind has its place in the pipeline. Among policies of the same kind, the first is the outermost. Defaults to
        /// none.
        public var policies: [ClientPolicy]

        /// Creates a configuration. Each parameter sets the property with its name and has the default documented
        /// there.
        public init(
            timeout: Duration? = nil,
            connectTimeout: Duration? = nil,
            idleTimeout: Duration? = nil,
            memoryLimit: Int = 64 << 20,
            headers: HTTPHeaders = ["Accept": "*/*", "User-Agent": "Halyard"],
            serializers: Serializers = .standard,
            redirects: RedirectPolicy = .follow,
            retry: RetryPolicy = .never,
            retryBudget: RetryBudget = RetryBudget(),
            requestsInFlight: Int? = nil,
            cookies: CookieJar? = nil,
            compression: BodyCompression = .none,
            policies: [ClientPolicy] = []
        ) {
            self.timeout = timeout
            self.connectTimeout = connectTimeout
            self.idleTimeout = idleTimeout
            self.memoryLimit = memoryLimit
            self.headers = headers
            self.serializers = serializers
            self.redirects = redirects
            self.retry = retry
            self.retryBudget = retryBudget
            self.requestsInFlight = requestsInFlight
            self.cookies = cookies
            self.compression = compression
            self.policies = policies
        }
    }
}

/// The base URL that a client has read last. Most clients send all requests to one base URL: it is read once for all of
/// them, and not for each.
final class BaseURLCache: Sendable {
    private let last = Lock<BaseURL?>(nil)

    /// Returns a base URL. Throws ``HTTPError`` of kind `invalidURL`.
    func baseURL(_ text: String) throws(HTTPError) -> BaseURL {
        if let last = last.withLock({ $0 }), last.text == text { return last }
        let base = try BaseURL(text)
        last.withLock { $0 = base }
        return base
    }
}
