import HalyardHTTP

// Faults of the network, at any byte of a response. The bytes count from the first byte of the status line.
extension MockResponse {
    /// Returns the same response, whose connection is reset after some of its bytes. The client may lose bytes that were
    /// sent before.
    ///
    /// A ``StubTransport`` throws `HTTPError.connectionLost` in place of the response.
    ///
    /// - Parameter count: The number of bytes of the head and the body before the reset. Defaults to none.
    public func resetting(after count: Int = 0) -> MockResponse {
        faulted { ($0.byteCount, $0.end) = (max(0, count), .reset) }
    }

    /// Returns the same response, which stops after some of its bytes, with the connection open, until the client closes
    /// it or the server stops.
    ///
    /// A ``StubTransport`` returns nothing until the time limit of the request or its cancellation.
    ///
    /// - Parameter count: The number of bytes of the head and the body before that. Defaults to none.
    public func stalling(after count: Int = 0) -> MockResponse {
        faulted { ($0.byteCount, $0.end) = (max(0, count), .stall) }
    }

    /// Returns the same response, whose sender ends its side of the connection after some bytes, and keeps the other side
    /// open until the client closes it or the server stops. With TLS there is no close_notify.
    ///
    /// A ``StubTransport`` throws `HTTPError.connectionLost` in place of the response.
    ///
    /// - Parameter count: The number of bytes of the head and the body before that. Defaults to none.
    public func halfClosing(after count: Int = 0) -> MockResponse {
        faulted { ($0.byteCount, $0.end) = (max(0, count), .halfClose) }
    }

    /// Returns the same response, which is sent slowly. A ``StubTransport`` returns it at once; see
    /// ``chunked(_:every:status:headers:)`` for a body over time.
    ///
    /// - Parameter bytesPerSecond: The number of bytes of the head and the body in a second, at least one.
    public func throttled(to bytesPerSecond: Int) -> MockResponse { faulted { $0.rate = max(1, bytesPerSecond) } }

    private func faulted(_ change: (inout WireFault) -> Void) -> MockResponse {
        var copy = self
        var fault = copy.fault ?? WireFault()
        change(&fault)
        copy.fault = fault
        return copy
    }
}
