import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension HTTPProvider {
    /// Reads a stream that begins again where it ended: a watch, a change feed, a long export.
    ///
    /// ```swift
    /// let changes = api.watch(.changes(after: 0)) {
    ///     $0.lines(of: Change.self)
    /// } from: {
    ///     .changes(after: $0.version)
    /// }
    /// for try await change in changes { apply(change) }
    /// ```
    ///
    /// After the response has ended, or has failed for a reason that may pass, the next request is sent after the
    /// policy's delay. The sequence ends only with an error: that of a failure that cannot pass, or, after too many
    /// attempts in sequence without an element, the last one, or ``HTTPError`` of kind `connectionLost` if the server has
    /// ended the last response. A route whose method is not idempotent needs ``ReconnectPolicy/withAnyMethod()``.
    ///
    /// For server-sent events use ``ResponseEvents/reconnecting(_:)``, which continues by `Last-Event-ID`.
    ///
    /// - Parameters:
    ///   - read: How a response is read, such as `lines(of:)` or `elements(of:at:)`.
    ///   - next: Makes the route of the next request from the last element. Until there is one, the first route is sent.
    public func watch<Element: Sendable>(
        _ route: Route, reconnecting policy: ReconnectPolicy = .standard,
        _ read: @escaping @Sendable (Request) -> ResponseSequence<Element>,
        from next: @escaping @Sendable (Element) -> Route
    ) -> ResponseSequence<Element> {
        ResponseSequence { _ in
            WatchSource(
                provider: self, route: route, stream: read, following: next, attempts: ReconnectAttempts(policy))
        }
    }
}

/// Reads one response after the other.
private struct WatchSource<Element: Sendable>: ElementSource {
    let provider: any HTTPProvider
    var route: Route
    let stream: @Sendable (Request) -> ResponseSequence<Element>
    let following: @Sendable (Element) -> Route
    var attempts: ReconnectAttempts
    /// The response that is being read.
    var iterator: ResponseSequence<Element>.Iterator?
    var last: Element?
    /// The last element, until the loop takes it.
    var pending: Element?

    mutating func next() -> Element? { pending.take() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        let time = provider.client.time
        do {
            if iterator == nil {
                try ReconnectPolicy.check(route.method, attempts.policy)
                iterator = stream(provider.request(route)).makeAsyncIterator()
                attempts.begin(time)
            }
            pending = try await iterator?.advance()
            if pending != nil {
                last = pending
                return true
            }
            try await pause(after: nil, time)
        } catch let error as HTTPError where iterator != nil && error.isTemporary {
            try await pause(after: error, time)
        }
        return true
    }

    /// Waits for the time of the next request, or throws.
    private nonisolated(nonsending) mutating func pause(after error: HTTPError?, _ time: PipelineTime) async throws {
        iterator = nil
        guard let delay = attempts.delay(after: last != nil, time) else {
            throw error ?? ReconnectPolicy.exhausted(attempts.count, "element")
        }
        if let last { route = following(last) }
        last = nil
        try await time.sleep(delay)
    }
}
