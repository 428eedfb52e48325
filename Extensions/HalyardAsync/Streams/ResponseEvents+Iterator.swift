import HalyardCodable
import HalyardFoundation
import HalyardHTTP

extension ResponseEvents {
    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over the events.
    public struct Iterator: AsyncIteratorProtocol {
        private let original: Request
        private let policy: ReconnectPolicy?
        private let limit: Int
        private var parser: EventParser
        private var phase = Phase.cold
        /// The number of attempts since the last success.
        private var attempts = 0
        /// The time at which the stream began, on the client's clock.
        private var start: Duration?
        /// The response whose stream has ended. `nil` after a 204.
        private(set) var endedBody: OpenBody?
        /// The request that is being read, if it is not the original.
        private var repeated: RepeatedRequest?

        private enum Phase {
            case cold
            case open(OpenBody)
            case done
        }

        init(_ events: ResponseEvents) {
            original = events.request
            // Without attempts, the sequence ends with the response.
            policy = events.policy.flatMap { $0.attempts > 0 ? $0 : nil }
            limit = events.limit
            parser = EventParser(limit: limit, lastID: events.savedID ?? original.headers["Last-Event-ID"])
            if let id = events.savedID { repeated = original.repeated { $0.headers["Last-Event-ID"] = id } }
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
                } catch let interruption as Interruption {
                    guard try await connectAgain(after: interruption.error) else { throw interruption.error }
                } catch {
                    phase = .done
                    guard (error as? HTTPError)?.isTemporary == true, try await connectAgain(after: error) else {
                        throw error
                    }
                }
            }
        }

        /// Reads a chunk of the stream, which is opened first. Returns `false` at its end.
        ///
        /// - Throws: ``Interruption`` for a stream that has failed after its head.
        private nonisolated(nonsending) mutating func read() async throws -> Bool {
            if case .cold = phase {
                if let policy { try policy.check(original.method) }
                phase = .open(try await OpenBody.openEvents(repeated?.request ?? original))
                start = original.time.now()
            }
            guard case .open(var body) = phase else { return false }
            if body.response.status == 204 {
                phase = .done
                return false
            }
            guard !parser.exceedsLimit else {
                throw body.error(
                    .bodyTooLarge(limit: limit), reason: "an event is larger than the limit",
                    suggestion: "Raise the limit with eventLimit(_:), or read the response's chunks")
            }
            do {
                let chunk = try await body.next()
                phase = .open(body)
                guard let chunk else { return false }
                parser.append(chunk)
                return true
            } catch let error as HTTPError where ![.cancelled, .shutDown].contains(error.kind) {
                throw Interruption(error: body.annotated(error))
            }
        }

        /// Prepares another attempt and waits for its time. Returns `false` if there is none.
        private nonisolated(nonsending) mutating func connectAgain(after error: (any Error)?) async throws -> Bool {
            let last = body
            (phase, endedBody) = (.done, last)
            guard let policy, error != nil || last != nil else { return false }
            if let start, original.time.now() - start >= policy.stableTime { attempts = 0 }
            start = nil
            guard attempts < policy.attempts else {
                guard let last, error == nil else { return false }
                throw last.exhausted(attempts)
            }
            attempts += 1
            let random = original.time.random()
            try await original.sleep(
                policy.delay(before: attempts, requested: parser.reconnectionTime, random: random))
            parser.restart()
            repeated = original.repeated { [id = parser.lastID] in
                // An ID that no header field can have is not sent.
                $0.headers["Last-Event-ID"] = id.flatMap { HTTPHeaders.isValidValue($0) ? $0 : nil }
            }
            phase = .cold
            return true
        }
    }

    /// An error of a stream after its head. The request may be sent again, whatever the kind of the error: a compressed
    /// stream that a proxy cuts off has invalid bytes, and so has one that HTTP/2 resets.
    fileprivate struct Interruption: Error {
        let error: HTTPError
    }
}

extension OpenBody {
    /// Sends a request for events, and checks the content type of the response.
    fileprivate static func openEvents(_ request: Request) async throws -> OpenBody {
        var body = try await open(request, of: "text/event-stream")
        let type = body.response.headers.mediaType
        guard body.response.status != 204, type != "text/event-stream" else { return body }
        let start = await body.start(within: .seconds(1), request.time)
        try Task.checkCancellation()
        throw body.error(
            .invalidResponse,
            reason: "the response is \(type ?? "of an unknown content type"), and not text/event-stream",
            suggestion: body.outcome.isDry ? "The client is in dry mode: add a stub with .events to the endpoint" : nil,
            excerpt: start)
    }

    /// Returns the first bytes of the body; `nil` if they do not arrive in time. The transfer may end.
    private mutating func start(within limit: Duration, _ time: PipelineTime) async -> Data? {
        let stream = response.stream
        let timer = Task {
            try await time.sleep(limit)
            stream?.cancel(throwing: HTTPError.timedOut)
        }
        defer { timer.cancel() }
        return try? await next().map { Data($0.prefix(64 << 10)) }
    }

    /// Returns the error of a stream that has ended too often without an event.
    fileprivate func exhausted(_ attempts: Int) -> HTTPError {
        error(
            .connectionLost, reason: "the server has ended \(attempts) streams in sequence without an event",
            suggestion: "Allow more attempts with reconnecting(_:). To end a stream permanently, a server sends a 204")
    }
}

extension ReconnectPolicy {
    /// Checks that a request may be sent more than once.
    fileprivate func check(_ method: HTTPMethod) throws(HTTPError) {
        guard !method.isIdempotent, !allowsAnyMethod else { return }
        throw HTTPError(
            .configuration("reconnecting"), reason: "\(method) is not idempotent, so that it is not sent again",
            suggestion:
                "If the server continues the stream by Last-Event-ID, use .reconnecting(.standard.withAnyMethod())")
    }
}
