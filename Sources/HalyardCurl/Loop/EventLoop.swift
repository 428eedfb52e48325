import CHalyardCurl
import HalyardHTTP

/// The loop: it owns a multi handle and every transfer on it, and runs on one thread of its own.
///
/// Nothing of it is Sendable. Who has it says the mailbox: its thread, or, while that sleeps, a caller who begins a
/// request. Only libcurl and the collecting of bodies run here, and of users' code what is told of progress: a request
/// crosses to the loop once and its response comes back once. That overlapping use is not checked at run time has the
/// reason that it has in `Transfer`.
final class EventLoop {
    private let mailbox: Mailbox
    private let multi: UnsafeMutableRawPointer
    @exclusivity(unchecked) var poller: Poller
    private let queue: ReadyQueue
    private let settings: EngineSettings
    @exclusivity(unchecked) var transfers: [UInt64: Transfer] = [:]
    @exclusivity(unchecked) private var admission: Admission
    /// Lines of transfers that libcurl is done with, and whose files are still written: what waits in memory for a slow disk
    /// is bounded by the number of connections.
    @exclusivity(unchecked) private var writing: [UInt64: Admission.Line] = [:]
    /// Handles that wait to be used again.
    @exclusivity(unchecked) private var spares: [EasyHandle] = []
    /// Those that are done and not answered yet.
    @exclusivity(unchecked) private var settled: [Transfer] = []
    let turn = Turn()
    /// When libcurl wants to be called though no socket is ready.
    @exclusivity(unchecked) private var wanted: Instant?
    /// Nothing happened while it slept.
    private var isIdle = false
    /// Transfers were added, and libcurl has not begun with them.
    private var hasBegun = false
    /// No more transfers come.
    private var isReleased = false

    init(_ mailbox: Mailbox, of parts: Parts) {
        self.mailbox = mailbox
        multi = parts.multi
        poller = parts.poller
        queue = poller.queue
        settings = parts.settings
        admission = Admission(settings.configuration, connections: settings.connectionLimit)
        spares = [parts.first]
    }

    /// Runs until nobody can send any more and all is done, or it is shut down.
    func run() {
        let me = Unmanaged.passUnretained(self).toOpaque()
        _ = halyard_multi_set_pointer(multi, HALYARD_MOPT_SOCKETDATA, me)
        _ = halyard_multi_set_socket_callback(multi, socketChanged)
        _ = halyard_multi_set_pointer(multi, HALYARD_MOPT_TIMERDATA, me)
        _ = halyard_multi_set_timer_callback(multi, timerChanged)
        mailbox.open(self)
        var commands: [Mailbox.Command] = []
        while true {
            commands = mailbox.take(reusing: commands)
            turn.begin()
            for command in commands { follow(command) }
            commands.removeAll(keepingCapacity: true)
            actOnTimer()
            endOverdue()
            if turn.takeNews() { for transfer in transfers.values { transfer.tellNews() } }
            if isReleased && transfers.isEmpty && admission.isEmpty { return close(HTTPError(.shutDown)) }
            let isGathering = turn.isGathering
            var count = isGathering || turn.mayWait ? queue.wait(0) : 0
            if count == 0 {
                if !isGathering { turn.flush() }
                count = doze(resting: isGathering && turn.concernsAll(of: transfers.count))
            }
            turn.begin()
            poller.endStale(of: count, unless: isInUse, turn.ended)
            for index in 0..<count {
                guard let (socket, ready) = poller.event(index) else { continue }
                _ = halyard_multi_act(multi, socket, ready)
            }
            poller.renewLookups()
            finishDone()
        }
    }

    /// Sleeps until a socket is ready, somebody posts or it is time. Others may have the loop meanwhile.
    ///
    /// - Parameter isResting: for a tenth of a millisecond at most, and no socket wakes it: each packet would. There is more
    ///   to read then at once, which takes less of this processor and the sender's; or nothing, and readers are told.
    private func doze(resting isResting: Bool) -> Int {
        let now = Instant.now
        // While there is something to do it is short: whoever begins a request meanwhile need not wake this thread for the
        // sake of a timer that is further away.
        let time = min(due?.wait(now: now) ?? 60_000, isIdle ? 60_000 : 1000)
        guard mailbox.fallAsleep(until: now.advanced(milliseconds: Int(time))) else { return queue.wait(0) }
        let count = isResting ? 0 : queue.wait(time)
        if isResting { queue.bell.wait(nanoseconds: 100_000) }
        while !mailbox.wakeUp() { queue.bell.wait() }
        if isResting {
            let count = queue.wait(0)
            if count == 0 { turn.flush() }
            return count
        }
        isIdle = count == 0
        return count
    }

    /// Begins a request on the thread of whoever sends it, who has the loop and leaves it.
    func visit(with start: Start) {
        turn.begin()
        // What is due is other requests', and may take long. libcurl's time is rounded up.
        if let wanted, wanted <= turn.now.advanced(milliseconds: 1) { return mailbox.leave(due: nil, .start(start)) }
        SystemThread.borrow {
            ProcessExit.enter()
            admit(start)
            // Once: what is due after that may be another request's as well.
            actOnTimer(atMost: 1)
            turn.flush()
        }
        mailbox.leave(due: due)
    }

    private func follow(_ command: Mailbox.Command) {
        switch command {
        case .start(let start): admit(start)
        case .cancel(let id):
            admission.remove(id)?.refuse(CancellationError())
            end(id, with: .failure(CancellationError()))
        case .streamChanged(let id): streamChanged(id)
        case .written(let id):
            if let line = writing.removeValue(forKey: id) { next(in: line) }
        case .release: isReleased = true
        case .shutdown:
            isReleased = true
            endAll(HTTPError(.shutDown))
        }
    }
}

// Time.
extension EventLoop {
    /// libcurl sets its one timer, or takes it back.
    func setTimer(_ milliseconds: Int) {
        wanted = milliseconds < 0 ? nil : turn.now.advanced(milliseconds: milliseconds)
    }

    private func actOnTimer(atMost times: Int = 16) {
        // libcurl is about to choose connections for what has begun.
        if hasBegun { poller.endStale(unless: isInUse, turn.ended) }
        hasBegun = false
        // Acting may set it anew, to now: what was added starts so. Not for ever: others wait for their turn.
        for _ in 0..<times {
            guard let due = wanted, due <= turn.now else { break }
            wanted = nil
            _ = halyard_multi_act(multi, HALYARD__SOCKET_TIMEOUT, 0)
        }
        finishDone()
    }

    /// When to look next, though nothing happens.
    private var due: Instant? {
        var times = turn.timetable
        times.note(wanted)
        times.note(turn.newsDue)
        times.note(turn.flushDue)
        return times.earliest
    }

    private func endOverdue() {
        let now = turn.now
        guard turn.timetable.isDue(now) else { return }
        turn.timetable = Timetable()
        for start in admission.removeOverdue(now, &turn.timetable) { start.refuse(start.overdue) }
        for transfer in transfers.values {
            if let outcome = transfer.overdueOutcome(now) {
                end(transfer.id, with: outcome)
            } else {
                turn.timetable.note(transfer.expiry)
            }
        }
    }
}

// Transfers.
extension EventLoop {
    private func admit(_ start: Start) {
        guard !isReleased else { return start.refuse(HTTPError(.shutDown, request: start.request)) }
        if let line = admission.enter(start, now: turn.now) {
            begin(start, line, since: turn.now)
        } else {
            turn.timetable.note(start.context.timeout.flatMap(turn.now.advanced(by:)))
        }
    }

    private func begin(_ start: Start, _ line: Admission.Line, since: Instant) {
        do throws(HTTPError) {
            let easy = try takeHandle(for: start.request.origin)
            let transfer = Transfer(start, line, easy, settings, turn, mailbox, since: since)
            transfers[start.id] = transfer
            turn.timetable.note(transfer.expiry)
            hasBegun = true
            guard halyard_multi_add(multi, easy.pointer) != 0 else { return }
            end(start.id, with: .failure(CurlLibrary.missing(because: "it takes no more transfers")))
        } catch {
            start.refuse(error.of(start.request))
            next(in: line)
        }
    }

    /// Lets go whoever waited for the end of one that went by this line.
    private func next(in line: Admission.Line) {
        admission.leave(line)
        letGo(after: line)
    }

    private func letGo(after line: Admission.Line) {
        while let next = admission.next(after: line) { begin(next.start, next.line, since: next.since) }
    }

    /// A handle that has the settings and nothing else.
    private func takeHandle(for origin: Origin) throws(HTTPError) -> EasyHandle {
        // What a proxy says of a tunnel has fields as well, for which there is no guard.
        let isNew = CurlLibrary.keepsStaleFields && settings.mayTunnel(to: origin)
        let spare = isNew ? nil : spares.popLast()
        guard let easy = spare ?? EasyHandle() else { throw CurlLibrary.missing(because: "out of memory") }
        let isReady = spare != nil && !easy.isSpoilt
        if easy.isSpoilt { easy.reset() }
        if !isReady { easy.isSpent = isNew }
        do throws(HTTPError) {
            if !isReady { try settings.apply(to: easy, of: self) }
            try settings.pin(easy, to: origin)
        } catch {
            easy.free()
            throw error
        }
        return easy
    }

    private func streamChanged(_ id: UInt64) {
        guard let transfer = transfers[id] else { return }
        if transfer.isAbandoned {
            return end(id, with: .failure(transfer.fileWriter?.failure ?? CancellationError()))
        }
        transfer.resume()
        // What was held back is handed over within, and libcurl goes on as if nothing were wrong with it.
        if let failure = transfer.failure { return end(id, with: .failure(failure)) }
        turn.timetable.note(transfer.expiry)
    }

    /// Answers those that libcurl is done with, all at the end: an answer wakes a thread, which then finds the rest.
    private func finishDone() {
        turn.holdBack()
        while let line = turn.shared.popLast() {
            admission.share(line)
            letGo(after: line)
        }
        var result = HALYARD_E_OK
        while let pointer = halyard_multi_next_done(multi, &result) {
            guard let transfer = EasyHandle.of(easy: pointer)?.transfer else { continue }
            transfer.settle(transfer.outcome(result))
            transfers[transfer.id] = nil
            takeOff(transfer, isReusable: result == HALYARD_E_OK)
            settled.append(transfer)
        }
        for transfer in settled { transfer.answer() }
        settled.removeAll(keepingCapacity: true)
    }

    private func end(_ id: UInt64, with outcome: Result<HTTPResponse, any Error>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        transfer.settle(outcome)
        // First the answer: taking a handle off can wait for a name lookup that nobody can break off.
        transfer.answer()
        takeOff(transfer)
    }

    private func endAll(_ error: HTTPError) {
        for start in admission.removeAll() { start.refuse(error.of(start.request)) }
        for id in transfers.keys { end(id, with: .failure(error)) }
    }

    /// - Parameter isReusable: libcurl has brought it to its end. Otherwise the handle remembers more than it should.
    private func takeOff(_ transfer: Transfer, isReusable: Bool = false) {
        _ = halyard_multi_remove(multi, transfer.easy.pointer)
        transfer.release()
        let isKept = isReusable && transfer.easy.isReusable && spares.count < 256
        if isKept { spares.append(transfer.easy) } else { transfer.easy.free() }
        if transfer.fileWriter == nil { next(in: transfer.line) } else { writing[transfer.id] = transfer.line }
    }

    private func close(_ error: HTTPError) {
        for command in mailbox.close() { if case .start(let start) = command { start.refuse(error) } }
        endAll(error)
        turn.flush()  // it would keep those that it has to tell of
        for handle in spares { handle.free() }
        halyard_multi_cleanup(multi)
        settings.free()
        poller.free()
    }
}
