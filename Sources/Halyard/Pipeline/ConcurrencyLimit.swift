import HalyardHTTP

/// Limits how many requests the transport has at once, for each key. The others wait by priority, or fail if too many
/// wait.
///
/// The stage is below all interceptors, so that an interceptor that sends another request holds no slot meanwhile and
/// cannot deadlock.
package final class ConcurrencyLimit: Interceptor {
    private let key: RequestKey
    private let name: String
    private let slots: Lock<Slots<Turn>>

    /// Makes a stage for a number of requests of a key at once, at least one. `queue` is the number of those that may
    /// wait, and `name` is what errors and log events call the limit.
    package init(
        _ limit: Int, queue: Int = .max, by key: RequestKey = .client, name: String = "requestsInFlight"
    ) {
        self.key = key
        self.name = name
        slots = Lock(Slots(limit, queue: queue))
    }

    package var keyCount: Int { slots.withLock { $0.keyCount } }

    /// Waits for a slot, sends the request, and releases the slot. Throws ``HTTPError`` of kind `timedOut` if the
    /// deadline comes first, or `queueFull`.
    package nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let key = key.value(request) else { return try await next.proceed(request) }
        try await acquire(request, key, next.context)
        defer { release(key) }
        return try await next.proceed(request)
    }

    private nonisolated(nonsending) func acquire(
        _ request: HTTPRequest, _ key: RequestKey.Value, _ context: RequestContext
    ) async throws {
        guard let (turn, ticket) = try admit(request, key, context.priority) else { return }
        try await context.wait(for: turn, request, "\(name) of \(key)") { [slots] in
            slots.withLock { $0.leave(ticket, key) }
        }
    }

    /// Takes a slot, or else joins the queue. Returns the turn to wait for. `nil` if there was a slot. Throws
    /// ``HTTPError`` of kind `queueFull`.
    @inline(never)  // See `Pipeline`.
    private func admit(
        _ request: HTTPRequest, _ key: RequestKey.Value, _ priority: RequestPriority
    ) throws(HTTPError) -> (Turn, WaitingLine<Turn>.Ticket)? {
        switch slots.withLock({ $0.admit(Turn(), key, priority) }) {
        case .granted: return nil
        case .waiting(let turn, let ticket): return (turn, ticket)
        case .full(let limit, let queue):
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

/// The slots of a limit for requests at once, for each key. It decides only: it neither waits nor resumes.
struct Slots<Element: Sendable>: Sendable {
    /// What a request gets.
    enum Admission {
        /// A slot.
        case granted
        /// A place in the queue of its key.
        case waiting(Element, WaitingLine<Element>.Ticket)
        /// Nothing: all slots are taken, and so are the places in the queue.
        case full(limit: Int, queue: Int)
    }

    private struct Place: Sendable {
        var taken = 0
        var line: WaitingLine<Element>
    }

    /// The number of slots of each key.
    private let limit: Int
    /// The number of places in the queue of each key.
    private let queueLimit: Int
    private var places: [RequestKey.Value: Place] = [:]
    /// The last ticket of the lines that are gone, so that no later line has a ticket of theirs.
    private var lastTicket = 0

    init(_ limit: Int, queue: Int = .max) {
        self.limit = max(1, limit)
        queueLimit = max(0, queue)
    }

    var keyCount: Int { places.count }

    /// Takes a slot, or else joins the queue. `element` is made only for the queue.
    mutating func admit(
        _ element: @autoclosure () -> Element, _ key: RequestKey.Value, _ priority: RequestPriority
    ) -> Admission {
        var place = places.removeValue(forKey: key) ?? Place(line: WaitingLine(after: lastTicket))
        defer { places[key] = place }
        if place.taken < limit {
            place.taken += 1
            return .granted
        }
        guard place.line.count < queueLimit else { return .full(limit: limit, queue: queueLimit) }
        let element = element()
        return .waiting(element, place.line.append(element, priority))
    }

    /// Returns the next element of the queue, which takes the slot of one that ended. `nil` if none waits: the slot
    /// becomes free.
    mutating func release(_ key: RequestKey.Value) -> Element? {
        guard var place = places.removeValue(forKey: key) else { return nil }
        let next = place.line.next()
        if next == nil { place.taken -= 1 }
        if place.taken > 0 { places[key] = place } else { lastTicket = max(lastTicket, place.line.lastTicket) }
        return next
    }

    /// Removes an element that stops waiting.
    mutating func leave(_ ticket: WaitingLine<Element>.Ticket, _ key: RequestKey.Value) {
        _ = places[key]?.line.remove(ticket)
    }
}
