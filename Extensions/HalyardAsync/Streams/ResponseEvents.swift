import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The response's server-sent events as they arrive, with backpressure. The request is sent when the loop begins, with
    /// `Accept: text/event-stream`.
    ///
    /// ```swift
    /// for try await event in api.request(.feed).events.reconnecting() { print(event.name, event.data) }
    /// ```
    ///
    /// The loop ends with the response, or with a 204. Leaving it ends the transfer. A response of another content type is
    /// an ``HTTPError`` of kind `invalidResponse`, with the response. An event of more than 16 MiB is one of kind
    /// `bodyTooLarge`.
    ///
    /// A stream that is silent for longer than the idle time limit fails with `timedOut`. Many servers send comments to
    /// prevent that. See `idleTimeout(_:)` of a route.
    public var events: ResponseEvents { ResponseEvents(request: self) }
}

/// The server-sent events of a response (WHATWG HTML, section 9.2). See ``Request/events``.
public struct ResponseEvents: ResponseStream {
    let request: Request
    private var policy: ReconnectPolicy?
    private var limit = 16 << 20

    init(request: Request) { self.request = request }

    /// Returns a sequence that connects again after the stream has ended or failed.
    ///
    /// The request is sent again with `Last-Event-ID`, after the server's `retry` or the policy's delay. The sequence ends
    /// with a 204. It fails with any other response that is not an event stream, and after too many attempts. The error of
    /// the last attempt is thrown.
    ///
    /// - Parameter policy: The number of attempts and the delays. Defaults to ``ReconnectPolicy/standard``. For a method
    ///   that is not idempotent, such as POST, it must allow any method; see ``ReconnectPolicy/withAnyMethod()``. The loop
    ///   otherwise fails with ``HTTPError`` of kind `configuration`, and nothing is sent.
    /// - Returns: The sequence.
    public func reconnecting(_ policy: ReconnectPolicy = .standard) -> ResponseEvents {
        var events = self
        events.policy = policy
        return events
    }

    /// Returns a sequence with another limit for one event.
    ///
    /// - Parameter bytes: The maximum number of bytes. A larger event is an ``HTTPError`` of kind `bodyTooLarge`.
    /// - Returns: The sequence.
    public func eventLimit(_ bytes: Int) -> ResponseEvents {
        var events = self
        events.limit = bytes
        return events
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(request, policy, limit: limit) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let original: Request
        private let policy: ReconnectPolicy?
        private let limit: Int
        private var parser = EventParser()
        private var phase = Phase.cold
        /// The number of attempts since the last event.
        private var attempts = 0
        /// The request that is being read, if it is not the original.
        private var repeated: RepeatedRequest?

        private enum Phase {
            case cold
            case open(OpenBody)
            case done
        }

        init(_ request: Request, _ policy: ReconnectPolicy?, limit: Int) {
            original = request
            self.policy = policy
            self.limit = limit
        }

        /// Returns the next event; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> ServerSentEvent? { try await advance() }

        /// Returns the next event. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> ServerSentEvent? {
            try await advance()
        }

        /// The response that is being read, for the values of its events.
        var body: OpenBody? { if case .open(let body) = phase { body } else { nil } }

        /// Returns the next event on the caller's actor.
        nonisolated(nonsending) mutating func advance() async throws -> ServerSentEvent? {
            while true {
                if let event = parser.next() {
                    attempts = 0
                    return event
                }
                do {
                    if try await read() { continue }
                    guard try await connectAgain(after: nil) else { return nil }
                } catch {
                    phase = .done
                    guard try await connectAgain(after: error) else { throw error }
                }
            }
        }

        /// Reads a chunk of the stream, which is opened first. Returns `false` at its end.
        private nonisolated(nonsending) mutating func read() async throws -> Bool {
            if case .cold = phase {
                if let policy { try policy.check(original.method) }
                phase = .open(try await OpenBody.openEvents(repeated?.request ?? original))
            }
            guard case .open(var body) = phase else { return false }
            if body.response.status == 204 {
                phase = .done
                return false
            }
            guard parser.pending <= limit else {
                throw body.error(
                    .bodyTooLarge(limit: limit), reason: "an event is larger than the limit",
                    suggestion: "Raise the limit with eventLimit(_:), or read the response's chunks")
            }
            let chunk = try await body.next()
            phase = .open(body)
            guard let chunk else { return false }
            parser.append(chunk)
            return true
        }

        /// Prepares another attempt and waits for its time. Returns `false` if there is none.
        private nonisolated(nonsending) mutating func connectAgain(after error: (any Error)?) async throws -> Bool {
            guard let policy, attempts < policy.attempts, error.map(Self.mayConnectAgain) ?? isAtEndOfStream else {
                phase = .done
                return false
            }
            attempts += 1
            phase = .done
            let random = original.time.random()
            try await original.sleep(
                policy.delay(before: attempts, requested: parser.reconnectionTime, random: random))
            parser.restart()
            repeated = original.repeated { [lastID = parser.lastID] in $0.headers["Last-Event-ID"] = lastID }
            phase = .cold
            return true
        }

        /// Whether a stream of events has ended, and not a 204.
        private var isAtEndOfStream: Bool { body.map { $0.response.status != 204 } ?? false }

        private static func mayConnectAgain(after error: any Error) -> Bool {
            (error as? HTTPError)?.isTemporary ?? false
        }
    }
}

extension OpenBody {
    /// Sends a request for events, and checks the content type of the response.
    fileprivate static func openEvents(_ request: consuming Request) async throws -> OpenBody {
        var body = try await open(request, of: "text/event-stream")
        let type = body.response.headers.mediaType
        guard body.response.status != 204, type != "text/event-stream" else { return body }
        let start = try await body.next().map { Data($0.prefix(64 << 10)) }
        throw body.error(
            .invalidResponse,
            reason: "the response is \(type ?? "of an unknown content type"), and not text/event-stream", excerpt: start
        )
    }
}

extension ReconnectPolicy {
    /// Checks that a request may be sent more than once.
    fileprivate func check(_ method: HTTPMethod) throws(HTTPError) {
        guard attempts > 0, !method.isIdempotent, !allowsAnyMethod else { return }
        throw HTTPError(
            .configuration("reconnecting"), reason: "\(method) is not idempotent, so that it is not sent again",
            suggestion:
                "If the server continues the stream by Last-Event-ID, use .reconnecting(.standard.withAnyMethod())")
    }
}
