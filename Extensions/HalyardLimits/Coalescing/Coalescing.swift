import Halyard
import HalyardHTTP

/// Lets equal requests that are made at the same time share one transfer.
///
/// The stage is just below the cache. There the cache has expressed the mode of a request and its validators as header
/// fields, so that equal header fields mean equal requests; and a hit of the cache costs nothing. It is above the store
/// of cookies, which gets each response once.
final class Coalescing: Interceptor {
    private typealias Reading = Transfers<TransferKey, Reader>

    /// A request that waits for the response of a transfer.
    private struct Reader: Sendable {
        let response = CancellableWaiter<HTTPResponse>()
        let progress: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    }

    private let ignored: Set<String>
    private let transfers = Lock(Reading())

    init(ignoring ignored: Set<String>) { self.ignored = ignored }

    var count: Int { transfers.withLock { $0.count } }

    /// The number of requests that wait for a transfer.
    var readerCount: Int { transfers.withLock { $0.readerCount } }

    private static let safeMethods: [HTTPMethod] = [.get, .head, .options, .trace]

    nonisolated(nonsending) func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        guard let key = TransferKey(request, next.context, ignoring: ignored) else {
            // A read that begins after a change must not join one that began before it.
            defer { if !Self.safeMethods.contains(request.method) { transfers.withLock { $0.close(request.origin) } } }
            return try await next.proceed(request)
        }
        let reader = Reader(progress: next.context.transfer.progress)
        let ticket = transfers.withLock { $0.join(key, request.origin, reader) }
        if ticket.isFirst { start(ticket.transfer, request, next) }
        var response = try await next.context.value(of: reader.response) { [transfers] in
            transfers.withLock { $0.leave(ticket) }?.cancel()
        }
        if !ticket.isFirst {
            response.sendCount = 0
            response.metrics = nil
            next.context.log?.log(.coalesced, request, response)
        }
        return response
    }

    /// Sends the request in a task of its own, which may outlive each reader.
    private func start(_ id: Reading.ID, _ request: HTTPRequest, _ next: Chain) {
        let context = next.context.shared { [transfers] direction, progress in
            for reader in transfers.withLock({ $0.readers(of: id) }) { reader.progress?(direction, progress) }
        }
        let task = Task { [transfers] in
            let result: Result<HTTPResponse, any Error>
            do { result = .success(try await next.with(context).proceed(request)) } catch { result = .failure(error) }
            for reader in transfers.withLock({ $0.end(id) }) { reader.response.end(with: result) }
        }
        if !transfers.withLock({ $0.keep(task, of: id) }) { task.cancel() }
    }
}
