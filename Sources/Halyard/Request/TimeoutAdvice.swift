import HalyardHTTP

/// Which limit a request ran into, and so which one to raise: an engine knows how long it was, not who set it.
struct TimeoutAdvice {
    let route: Duration?
    let client: HTTPClient.Configuration
    let elapsed: Duration

    /// A timeout with a way out; any other error as it is.
    func added(to error: any Error) -> any Error {
        guard var error = error as? HTTPError, error.kind == .timedOut, error.suggestion == nil else { return error }
        error.suggestion = text
        return error
    }

    var text: String {
        let limit =
            switch (isWhole, route) {
            case (false, _): "idleTimeout or connectTimeout of the client's configuration"
            case (true, nil): "the timeout of the client's configuration, or give the route one of its own"
            case (true, _): "the route's timeout"
            }
        return "Raise \(limit), or try again later"
    }

    /// Whether it is the limit for the whole: it has passed, or it alone can have, as with a clock of a test.
    private var isWhole: Bool {
        guard let limit = route ?? client.timeout else { return false }
        return elapsed >= limit
            || elapsed < min(client.connectTimeout ?? .seconds(15), client.idleTimeout ?? .seconds(60))
    }
}
