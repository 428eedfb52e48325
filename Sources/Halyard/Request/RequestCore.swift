import HalyardHTTP

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the copies of a ``Request`` share: its state, and the task that runs it.
final class RequestCore: Sendable {
    typealias Reader = @Sendable (Exchange) -> Void

    private struct Shared: Sendable {
        var state = RequestState<Exchange, Reader>()
        var task: Task<Void, Never>?
        /// The last reader has left, perhaps before the task was known.
        var isCalledOff = false
    }

    let provider: any HTTPProvider
    let route: Route
    private let shared = Lock(Shared())

    init(_ route: Route, of provider: any HTTPProvider) {
        self.route = route
        self.provider = provider
    }

    #if DEBUG
        deinit {
            guard shared.withLock({ $0.state.isCold }) else { return }
            let text = "Halyard: \(route) was never requested; give its request a reader, or call start().\n"
            text.utf8.withContiguousStorageIfAvailable { _ = write(2, $0.baseAddress, $0.count) }
        }
    #endif

    func start() {
        if case .start = shared.withLock({ $0.state.start() }) { runInTask() }
    }

    /// Adds a reader, which is told the outcome once, on any thread. Returns how it can leave.
    @discardableResult
    func read(_ reader: @escaping Reader) -> UInt64 {
        let (id, action) = shared.withLock { $0.state.add(reader) }
        switch action {
        case .start: runInTask()
        case .tell(let exchange): reader(exchange)
        case .wait: break
        }
        return id
    }

    /// Lets a reader go that was not told yet: it is told now. When it was the last one the request is called off.
    func leave(_ id: UInt64) {
        let (reader, task) = shared.withLock { shared -> (Reader?, Task<Void, Never>?) in
            let (reader, isLast) = shared.state.remove(id)
            if isLast { shared.isCalledOff = true }
            return (reader, isLast ? shared.task : nil)
        }
        task?.cancel()
        reader?(Exchange(error: CancellationError()))
    }

    /// Runs it in the task of the caller, who alone has it: nobody else can be told, or can want it to go on.
    func runAlone() async -> Exchange? {
        guard case .start = shared.withLock({ $0.state.isCold ? $0.state.start() : .wait }) else { return nil }
        return await Exchange.run(route, of: provider)
    }

    private func runInTask() {
        let task = Task { finish(await Exchange.run(route, of: provider)) }
        let isCalledOff = shared.withLock { shared in
            shared.task = task
            return shared.isCalledOff
        }
        if isCalledOff { task.cancel() }
    }

    private func finish(_ exchange: Exchange) {
        let readers = shared.withLock { shared in
            shared.task = nil
            return shared.state.complete(exchange)
        }
        for reader in readers { reader(exchange) }
    }
}
