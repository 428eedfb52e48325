import CHalyardCurl
import HalyardHTTP

/// The event loop of one engine. It drives libcurl's multi handle and all transfers on it.
///
/// The loop has a thread of its own. ``EventLoopHandle`` records which thread owns the loop at a time: the loop's
/// thread, or, while that sleeps, a thread that submits a request. Only the owner may use this object, the poller, the
/// easy handles and the transfers; none of them is Sendable.
///
/// libcurl and the decompression of bodies run here. Progress handlers are the only user code that runs here.
/// Overlapping accesses are not checked at run time, for the reason given at ``Transfer``.
///
/// The loop is divided by task: this file has the iteration and the end; `EventLoop+Transfers` starts and ends
/// transfers; `EventLoop+Sockets` handles libcurl's sockets; `EventLoop+Connections`
/// those that are handed over as bytes; `EventLoop+Start` makes a loop.
final class EventLoop {
    let handle: EventLoopHandle
    let multi: UnsafeMutableRawPointer
    let context: LoopContext
    @exclusivity(unchecked) var poller: Poller
    private let epoll: Epoll
    @exclusivity(unchecked) var limiter: ConnectionLimiter
    @exclusivity(unchecked) var easyHandles: EasyHandlePool
    @exclusivity(unchecked) var transfers: [UInt64: Transfer] = [:]
    /// The queues of transfers that libcurl has completed and whose files are still being written. Such a transfer
    /// occupies its connection, so that the number of connections limits the memory that waits for a slow disk.
    @exclusivity(unchecked) var pendingFiles: [UInt64: OriginQueue] = [:]
    /// The transfers that have ended in this iteration, and whose callers are not resumed yet.
    @exclusivity(unchecked) var ended: [Transfer] = []
    /// The connections that are handed over as bytes, also while they are being made.
    @exclusivity(unchecked) var rawConnections = RawConnections()
    /// The time at which libcurl must be called even if no socket is ready; `nil` for none.
    @exclusivity(unchecked) var curlTimer: MonotonicInstant?
    /// Whether the last sleep ended without an event.
    private var isIdle = false
    /// Whether the engine was freed or shut down, so that no more transfers start.
    var isClosing = false

    init(_ handle: EventLoopHandle, of parts: Parts) {
        self.handle = handle
        multi = parts.multi
        poller = parts.poller
        epoll = poller.epoll
        context = LoopContext(parts.settings) { handle.post($0) }
        limiter = ConnectionLimiter(
            parts.settings.configuration, connectionLimit: parts.settings.connectionLimit)
        easyHandles = EasyHandlePool(parts.settings, first: parts.easy)
    }

    /// Runs the loop on the current thread, until the engine is shut down, or is freed and its last transfer has ended.
    func run() {
        installCallbacks()
        handle.open(self)
        var commands: [LoopCommand] = []
        while true {
            commands = handle.takeCommands(reusing: commands)
            context.beginIteration()
            for command in commands { execute(command) }
            commands.removeAll(keepingCapacity: true)
            runTimer()
            if context.iteration.takeProgressReport() { for transfer in transfers.values { transfer.reportProgress() } }
            if isClosing && transfers.isEmpty && limiter.isEmpty && rawConnections.isEmpty {
                return close(HTTPError(.shutDown))
            }
            let count = waitForEvents()
            context.beginIteration()
            poller.shutDownStale(of: count, unless: isInUse) { context.shutDownConnections.insert($0, $1) }
            for index in 0..<count {
                guard let (socket, ready) = poller.event(index) else { continue }
                if let raw = rawConnections[socket: socket] {
                    move(raw, ready)
                    continue
                }
                _ = halyard_multi_socket_action(multi, socket, ready)
            }
            poller.renewLookups()
            endCompleted()
            // After the sockets: if the loop was held up, by a slow progress handler or because the system stopped the
            // process, a response may have arrived in time.
            endOverdue()
        }
    }

    /// Wakes the readers of streams, unless they can wait for more bytes, and then waits for events.
    private func waitForEvents() -> Int {
        let notifier = context.notifier
        let canCoalesce = notifier.canCoalesce(now: context.iteration.now)
        if canCoalesce || notifier.canDelayFlush {
            let count = epoll.wait(0)
            if count > 0 { return count }
        }
        if !canCoalesce { notifier.flush(now: context.iteration.now) }
        return poll(isCoalescing: canCoalesce && notifier.includesAllTransfers(count: transfers.count))
    }

    /// Sleeps until a socket is ready, a command is posted, or a timer is due. Meanwhile other threads may own the
    /// loop. `isCoalescing` says whether to sleep for a tenth of a millisecond at most without being woken by sockets,
    /// because all transfers are receiving large bodies. More bytes can then be read at once, which costs less
    /// processor time on both sides. If nothing arrives, the readers are woken.
    private func poll(isCoalescing: Bool) -> Int {
        let now = MonotonicInstant.now
        // After activity the sleep is short. A thread that submits a request then need not wake this thread for a timer
        // that is further away.
        let time = min(due?.wait(now: now) ?? 60_000, isIdle ? 60_000 : 1000)
        guard handle.beginSleep(until: now.advanced(milliseconds: Int(time))) else { return epoll.wait(0) }
        let count = isCoalescing ? 0 : epoll.wait(time)
        if isCoalescing { epoll.wakeup.wait(nanoseconds: 100_000) }
        while !handle.endSleep() { epoll.wakeup.wait() }
        if isCoalescing {
            let count = epoll.wait(0)
            if count == 0 { context.notifier.flush(now: context.iteration.now) }
            return count
        }
        isIdle = count == 0
        return count
    }

    /// Starts a request on the thread that submits it. That thread owns the loop, and gives it back here.
    func submitInline(_ pending: PendingTransfer) {
        context.beginIteration()
        // Work that is due belongs to other requests, and may take long. libcurl rounds its times up to milliseconds.
        if let curlTimer, curlTimer <= context.iteration.now.advanced(milliseconds: 1) {
            return handle.endInlineSubmission(due: nil, .start(pending))
        }
        SystemThread.borrow {
            ProcessExit.enter()
            admit(pending)
            // The limit is 1, because the next work that is due may belong to another request.
            runTimer(atMost: 1)
            context.notifier.flush(now: context.iteration.now)
        }
        handle.endInlineSubmission(due: due)
    }

    private func execute(_ command: LoopCommand) {
        switch command {
        case .start(let pending): admit(pending)
        case .cancel(let id):
            limiter.remove(id)?.fail(with: CancellationError())
            end(id, with: .failure(CancellationError()))
            if let connection = rawConnections[id] { end(connection, throwing: CancellationError()) }
        case .streamChanged(let id): streamChanged(id)
        case .fileWritten(let id):
            if let queue = pendingFiles.removeValue(forKey: id) { releaseConnection(of: queue) }
        case .connect(let pending): connect(pending)
        case .release: isClosing = true
        case .shutdown:
            isClosing = true
            endAll(HTTPError(.shutDown))
        }
    }

    /// Ends the loop. The handle refuses commands before the last requests fail, and libcurl's handles are freed before
    /// the settings that they refer to.
    private func close(_ error: HTTPError) {
        for command in handle.close() {
            if case .start(let pending) = command { pending.fail(with: error) }
            if case .connect(let pending) = command { pending.complete(with: .failure(error)) }
        }
        endAll(error)
        context.notifier.flush(now: context.iteration.now)  // It refers to its streams until then.
        easyHandles.free()
        rawConnections.free()
        halyard_multi_cleanup(multi)
        context.settings.free()
        poller.free()
    }
}

// libcurl's timer, and the time limits of requests.
extension EventLoop {
    /// Sets libcurl's only timer.
    func setTimer(_ milliseconds: Int) {
        curlTimer = milliseconds < 0 ? nil : context.iteration.now.advanced(milliseconds: milliseconds)
    }

    /// Lets libcurl do the work that is due, and ends the transfers that it completes. `limit` is the maximum number of
    /// calls. A call may set the timer to now again; this is how a new transfer starts. The limit gives other transfers
    /// their turn.
    func runTimer(atMost limit: Int = 16) {
        // libcurl is about to choose connections for new transfers.
        if !context.batch.isEmpty {
            poller.shutDownStale(unless: isInUse) { context.shutDownConnections.insert($0, $1) }
            context.batch.begin()
        }
        for _ in 0..<limit {
            guard let due = curlTimer, due <= context.iteration.now else { break }
            curlTimer = nil
            _ = halyard_multi_socket_action(multi, HALYARD__SOCKET_TIMEOUT, 0)
        }
        context.batch.end()
        endCompleted()
    }

    /// The time at which the loop must run again even if nothing happens; `nil` for none.
    var due: MonotonicInstant? {
        var earliest = context.iteration.deadline
        earliest.include(curlTimer)
        earliest.include(context.iteration.progressReportDue)
        earliest.include(context.notifier.flushDue)
        return earliest.instant
    }

    /// Ends the requests that have exceeded a time limit.
    func endOverdue() {
        let now = context.iteration.now
        guard context.iteration.deadline.isDue(now) else { return }
        context.iteration.deadline = EarliestDeadline()
        for pending in limiter.removeOverdue(now, &context.iteration.deadline) {
            pending.fail(with: pending.timeoutError)
        }
        for transfer in transfers.values {
            if let outcome = transfer.timeoutOutcome(now) {
                end(transfer.id, with: outcome)
            } else {
                context.iteration.deadline.include(transfer.nextDeadline)
            }
        }
    }
}
