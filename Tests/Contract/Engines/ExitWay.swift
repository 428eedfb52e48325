/// How a short program that has sent requests ends.
package enum ExitWay: String, CaseIterable, Sendable {
    /// All requests have ended, then `main` returns.
    case main
    /// `main` returns while requests and streams are in flight.
    case early
    /// `exit` is called by a task while requests and streams are in flight.
    case task
    /// `exit` is called by a thread that the program created.
    case thread
    /// `exit` is called by a handler.
    case callback
    /// `exit` is called by an observer of a future.
    case future
    /// Eight clients are released while `exit` is called.
    case dropped
    /// The engines are shut down while `exit` is called.
    case shutdown
    /// Requests over `HTTPClient.shared`, which does not trust the server: every handshake fails.
    case shared
}
