import Halyard
import HalyardHTTP

/// Sends a request a second time if its response takes long, and takes the first response.
///
/// The stage is above the network interceptors and the limits: each of the two requests is signed, waits and counts like
/// any other.
struct Hedging: Interceptor {
    let delay: Duration
    /// The hedged requests that may still be sent: a share of all requests that could be hedged.
    let budget: Lock<TokenBucket>

    private enum Event {
        case first(Result<HTTPResponse, any Error>)
        case second(Result<HTTPResponse, any Error>)
        /// The delay has passed.
        case late
        case nothing
    }

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard request.isHedgeable else { return try await next.proceed(request) }
        budget.withLock { $0.deposit() }
        let context = next.context
        let mark = HedgeMark()
        return try await withTaskGroup(of: Event.self) { group in
            group.addTask { .first(await next.with(context.adding(mark)).result(of: request)) }
            group.addTask {
                guard case .success = await mark.sent.result() else { return .nothing }
                do { try await context.time.sleep(delay) } catch { return .nothing }
                return .late
            }
            var race = HedgeRace()
            while !race.isDecided, let event = await group.next() {
                switch event {
                case .first(let result): race.first = result
                case .second(let result): race.second = result
                case .nothing: break
                case .late:
                    guard race.first == nil, budget.withLock({ $0.tryTake() }) else { continue }
                    race.isHedged = true
                    context.log?.log(.hedged, request, delay: delay)
                    group.addTask { .second(await next.with(context.withoutProgress).result(of: request)) }
                }
            }
            group.cancelAll()
            while let event = await group.next() {
                if case .first(.success(let response)) = event { response.discard() }
                if case .second(.success(let response)) = event { response.discard() }
            }
            return race
        }
        .response(reportingTo: context)
    }
}

/// The two requests of a hedged one, and what has come of them. It decides only.
struct HedgeRace: Sendable {
    var first: Result<HTTPResponse, any Error>?
    var second: Result<HTTPResponse, any Error>?
    /// Whether the second one was sent.
    var isHedged = false

    /// Whether no other result could be better.
    var isDecided: Bool {
        if first != nil, !isHedged || second != nil { return true }
        return first?.isFinal == true || second?.isFinal == true
    }

    /// Whether the second result is the one to use: the first one is missing, or is a failure and the second is not.
    private var isSecondBetter: Bool { second?.isFinal == true && first?.isFinal != true }

    /// Returns the response, which counts both sends.
    func response(reportingTo context: RequestContext) throws -> HTTPResponse {
        guard let winner = isSecondBetter ? second : first ?? second else { throw CancellationError() }
        var response = try winner.get()
        if isHedged { response.sendCount += 1 }
        if isSecondBetter {
            let count = Int64(response.data.count)
            context.transfer.progress?(.download, TransferProgress(completed: count, total: count))
        }
        // Both have come, and one of them is not used.
        if case .success(let other)? = isSecondBetter ? first : second { other.discard() }
        return response
    }
}

extension Result<HTTPResponse, any Error> {
    /// Whether the other request is not waited for: a response that is no failure of the server, or a cancellation.
    fileprivate var isFinal: Bool {
        switch self {
        case .success(let response): response.status < 500 && response.status != 429
        case .failure(let error): error is CancellationError
        }
    }
}

/// A value in the settings of a request that may be hedged. It tells when the request is sent: waiting for limits is no
/// reason to send it twice.
struct HedgeMark: Sendable {
    let sent = CancellableWaiter<Void>()
}

/// Tells ``Hedging`` that the request is sent. It is below everything that waits.
struct HedgeStart: Interceptor {
    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        next.context.value(of: HedgeMark.self)?.sent.end(with: .success(()))
        return try await next.proceed(request)
    }
}

extension Chain {
    fileprivate nonisolated(nonsending) func result(of request: HTTPRequest) async -> Result<HTTPResponse, any Error> {
        do { return .success(try await proceed(request)) } catch { return .failure(error) }
    }
}

extension HTTPRequest {
    /// Whether the request may be sent twice at once: a read without a body, whose response goes to memory.
    fileprivate var isHedgeable: Bool {
        guard [.get, .head, .options].contains(method), body == nil, case .memory = destination else {
            return false
        }
        return true
    }
}
