public import Halyard

extension ClientPolicy {
    /// Stores responses and uses them again.
    ///
    /// - Parameter cache: The cache. Clients with the same one share its responses.
    public static func cache(_ cache: HTTPCache) -> ClientPolicy { ClientPolicy(.cache, Caching(cache: cache)) }
}

extension HTTPClient {
    /// Makes a client with a cache and the engine of the platform.
    ///
    /// - Parameters:
    ///   - engine: Connections, TLS, proxy and limits. Defaults to `EngineConfiguration()`.
    ///   - configuration: Limits and policies. Defaults to `Configuration()`.
    ///   - log: Receives the events. Defaults to ``EventLog/silent``.
    public convenience init(
        cache: HTTPCache, engine: EngineConfiguration = EngineConfiguration(),
        configuration: Configuration = Configuration(), log: EventLog = .silent
    ) {
        var configuration = configuration
        configuration.policies.append(.cache(cache))
        self.init(engine: engine, configuration: configuration, log: log)
    }
}
