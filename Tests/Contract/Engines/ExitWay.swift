/// How a short program ends that has sent requests.
package enum ExitWay: String, CaseIterable, Sendable {
    /// All is answered, then `main` returns.
    case main
    /// `main` returns while requests and streams are in flight.
    case early
    /// `exit` is called by a task while requests and streams are in flight.
    case task
    /// `exit` is called by a thread of the program's own.
    case thread
    /// `exit` is called by a handler.
    case callback
    /// `exit` is called where a future is observed.
    case future
    /// Eight clients are dropped while `exit` is called.
    case dropped
    /// The engines shut down while `exit` is called.
    case shutdown
    /// Requests over `HTTPClient.shared`, which does not trust the server: every handshake is broken off.
    case shared
}
