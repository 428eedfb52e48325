import Halyard
import HalyardHTTP

/// Limits how many requests are sent at once, for each key. The others wait by priority, or fail if too many wait.
///
/// The stage is below all interceptors, so that an interceptor that sends another request holds no slot meanwhile and
/// cannot deadlock.
final class Concurrency: Interceptor {
    private let key: RequestKey
    private let name: String
    private let slots: Lock<Slots<Turn>>

    /// Makes a stage.
    ///
    /// - Parameters:
    ///   - limit: The number of requests of a key at once, at least one.
    ///   - queue: The number of requests of a key that may wait. Defaults to any number.
    init(_ limit: Int, queue: Int = .max, by key: RequestKey, name: String) {
        self.key = key
        self.name = name
        slots = Lock(Slots(limit, queue: queue))
    }

    /// The number of keys that have requests.
    var keyCount: Int { slots.withLock { $0.keyCount } }

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let key = key.value(request) else { return try await next.proceed(request) }
        try await acquire(request, key, next.context)
        defer { release(key) }
        return try await next.proceed(request)
    }

    private nonisolated(nonsending) func acquire(
        _ request: HTTPRequest, _ key: RequestKey.Value, _ context: RequestContext
    ) async throws {
        let turn = Turn()
        let admission = slots.withLock { slots in
            (slots.admit(turn, key, context.priority), slots.limit, slots.queueLimit)
        }
        switch admission {
        case (.granted, _, _): return
        case (.waiting(let ticket), _, _):
            try await context.wait(for: turn, request, "\(name) of \(key)") { [slots] in
                slots.withLock { $0.leave(ticket, key) }
            }
        case (.full, let limit, let queue):
            throw HTTPError(
                .queueFull("\(key)"), reason: "\(limit) are being sent, and \(queue) wait", request: request)
        }
    }

    private func release(_ key: RequestKey.Value) {
        // A request that has just stopped waiting does not take the slot.
        while let turn = slots.withLock({ $0.release(key) }) {
            if turn.end(with: .success(())) { return }
        }
    }
}
