public import HalyardHTTP

/// How requests are sent: an engine with its connections, interceptors, limits. The one object that has state.
///
/// Providers are values and share ``shared`` unless they are given another; a thousand of them use one connection
/// pool.
///
/// ```swift
/// let client = HTTPClient(interceptors: [Signing(key: key)], configuration: .init(timeout: .seconds(5)))
/// let api = MusicAPI(client: client)
/// ```
public final class HTTPClient: Sendable {
    /// The client of all providers that name no other.
    public static let shared = HTTPClient()

    /// What carries the requests.
    public let transport: any Transport
    /// What every request passes on its way, once, outermost first.
    public let interceptors: [any Interceptor]
    /// What every attempt to send a request passes, the ones that redirects and retries make too: what signs, or counts. One
    /// that adds credentials must look at the request's `origin`: a redirect may have led elsewhere. The cookies of a jar are
    /// there already; one that sends the request to another origin leaves them behind, see ``Interceptor``.
    public let networkInterceptors: [any Interceptor]
    /// The limits and defaults.
    public let configuration: Configuration
    /// Where the events of its requests go.
    public let log: EventLog
    private let time: PipelineTime
    private let account: RetryAccount
    private let stages: [any Interceptor]

    /// Makes a client over the engine of the platform, which ends with it.
    ///
    /// - Parameters:
    ///   - engine: connections, TLS, proxy, limits; see `EngineConfiguration`.
    ///   - interceptors: once for each request; none unless given.
    ///   - networkInterceptors: once for each attempt; none unless given.
    ///   - configuration: see ``Configuration``.
    ///   - log: silent unless given; see ``EventLog``.
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

    /// Makes a client over a transport of one's own, or a stub.
    ///
    /// - Parameters:
    ///   - transport: what carries the requests.
    ///   - interceptors: once for each request; none unless given.
    ///   - networkInterceptors: once for each attempt; none unless given.
    ///   - configuration: see ``Configuration``.
    ///   - log: silent unless given; see ``EventLog``.
    ///   - clock: what deadlines and waits between attempts are measured by, in a test; the engine has its own.
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

    package init(
        transport: any Transport, interceptors: [any Interceptor] = [], networkInterceptors: [any Interceptor] = [],
        configuration: Configuration = Configuration(), log: EventLog = .silent, time: PipelineTime
    ) {
        self.transport = transport
        self.interceptors = interceptors
        self.networkInterceptors = networkInterceptors
        self.configuration = configuration
        self.log = log
        self.time = time
        account = RetryAccount(configuration.retryBudget)
        stages = Pipeline.stages(
            interceptors: interceptors, networkInterceptors: networkInterceptors, cookies: configuration.cookies,
            limit: configuration.requestsInFlight.map(ConcurrencyLimit.init), transport: transport)
    }

    /// Ends every request and stream with `HTTPError` of kind `shutDown`, and refuses later ones with the same.
    ///
    /// No client needs it: its engine ends when the last reference to it goes and what it still carries is done.
    public func shutdown() { transport.shutdown() }

    /// Sends one request through the pipeline, without a provider's hooks, and returns the response whatever its
    /// status.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        let log = RequestLog(log)
        do {
            let response = try await perform(request, context(log: log))
            try response.sink?.commit()
            return response
        } catch {
            log?.failed(request, nil, error)
            throw error
        }
    }

    /// Sends one request through the pipeline; a file that it goes to is not in its place yet.
    package nonisolated(nonsending) func perform(
        _ request: HTTPRequest, _ context: RequestContext
    ) async throws -> HTTPResponse {
        try await Chain(stages, context).proceed(request)
    }

    /// Returns how a request is sent that starts now.
    ///
    /// - Parameters:
    ///   - options: The request's own settings, which take precedence over the client's.
    ///   - home: The provider's origin; nil for a request that is not built for the provider's base URL.
    ///   - authentication: The credentials for requests to that origin.
    ///   - transfer: What the transport is told beside the times.
    package func context(
        log: RequestLog?, options: RequestOptions = RequestOptions(), home: Origin? = nil,
        authentication: Authentication = .none, transfer: TransferContext = TransferContext()
    ) -> RequestContext {
        let redirects = options.redirects ?? configuration.redirects
        var transfer = transfer
        transfer.timeout = options.timeout ?? configuration.timeout
        transfer.connectTimeout = configuration.connectTimeout
        transfer.idleTimeout = configuration.idleTimeout
        transfer.followsRedirects = redirects.limit > 0
        return RequestContext(
            transfer: transfer, redirects: redirects, retry: options.retry ?? configuration.retry, account: account,
            time: time, log: log, home: home, authentication: authentication)
    }
}

extension HTTPClient {
    /// A client's limits and defaults. Times are kept to the millisecond.
    public struct Configuration: Sendable {
        /// The deadline of a whole request: all its redirects, retries and waits, for a free connection too. No limit
        /// unless given: a long download is no fault, a silent one is; see ``idleTimeout``.
        public var timeout: Duration?
        /// The most time for looking up the name, connecting and TLS. The engine's, which is 15 seconds, unless given.
        public var connectTimeout: Duration?
        /// The most time in which nothing moves. The engine's, which is 60 seconds, unless given.
        public var idleTimeout: Duration?
        /// The most bytes of a response that are kept in memory. 64 MiB unless given.
        public var memoryLimit: Int
        /// Header fields that every request has unless provider or route give others: `Accept` and `User-Agent`.
        public var headers: HTTPHeaders
        /// How values of other types are written and read, after the provider's own ways. None unless given.
        public var serializers: Serializers
        /// What becomes of a redirect when the route does not say: at most 20 are followed, none from https to http.
        public var redirects: RedirectPolicy
        /// What becomes of a failure that may pass when the route does not say: it is not tried again, unless given.
        public var retry: RetryPolicy
        /// How much of the client's sending may be second attempts: a fifth, and ten at once, unless given.
        public var retryBudget: RetryBudget
        /// How many attempts may be with the engine at once; the others wait in their order, and their waiting counts
        /// against the deadline. No limit unless given, beside the engine's of connections. A stream counts until its head
        /// has come.
        public var requestsInFlight: Int?
        /// Where cookies are kept, and taken from. Without one, as it is unless given, there are none but the caller's own.
        public var cookies: CookieJar?

        /// Makes a configuration; see the properties for what each means.
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
            cookies: CookieJar? = nil
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
        }
    }
}
