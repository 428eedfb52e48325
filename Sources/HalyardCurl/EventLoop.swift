import CHalyardCurl
import HalyardHTTP

/// The loop: one thread that owns a multi handle and every transfer on it.
///
/// Nothing of it is Sendable, and nothing leaves the thread. Only libcurl and the collecting of bodies run here, no
/// code of users': a request crosses to the loop once and its response comes back once.
final class EventLoop {
    private let mailbox: Mailbox
    private let multi: UnsafeMutableRawPointer
    private var transfers: [UInt64: Transfer] = [:]
    /// Handles that wait to be used again: making one costs more than a small request does.
    private var spares: [EasyHandle] = []
    private var timetable = Timetable()

    private init(mailbox: Mailbox, multi: UnsafeMutableRawPointer) {
        self.mailbox = mailbox
        self.multi = multi
    }

    /// Starts a loop on a thread of its own; it runs until its mailbox gets `.stop`.
    static func start() throws(HTTPError) -> Mailbox {
        try CurlLibrary.load()
        guard let multi = halyard_multi_init() else { throw CurlLibrary.missing(because: "out of memory") }
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAX_HOST_CONNECTIONS, 64)
        // Below the number in flight libcurl closes connections that the next request would have used.
        _ = halyard_multi_set_long(multi, HALYARD_MOPT_MAXCONNECTS, 256)

        let mailbox = Mailbox(multi: multi)
        let address = UInt(bitPattern: multi)
        let started = SystemThread.start {
            guard let multi = UnsafeMutableRawPointer(bitPattern: address) else { return }
            EventLoop(mailbox: mailbox, multi: multi).run()
        }
        guard started else {
            halyard_multi_cleanup(multi)
            throw HTTPError(.engineUnavailable, reason: "the system gives no more threads")
        }
        return mailbox
    }

    private func run() {
        var commands: [Mailbox.Command] = []
        while true {
            commands = mailbox.take(reusing: commands)
            for command in commands {
                switch command {
                case .start(let start): begin(start)
                case .cancel(let id): end(id, with: .failure(CancellationError()))
                case .streamChanged(let id): streamChanged(id)
                case .stop: return close()
                }
            }
            commands.removeAll(keepingCapacity: true)

            _ = halyard_multi_perform(multi)
            finishDone()
            endOverdue()
            if mailbox.fallAsleep() { _ = halyard_multi_poll(multi, timetable.wait(now: .now)) }
        }
    }

    private func begin(_ start: Start) {
        guard let easy = spares.popLast() ?? EasyHandle() else {
            return start.continuation.resume(throwing: CurlLibrary.missing(because: "out of memory"))
        }
        let transfer = Transfer(start, easy: easy, now: .now) { [mailbox] in mailbox.post(.streamChanged(start.id)) }
        transfers[start.id] = transfer
        timetable.note(transfer.expiry)
        _ = halyard_multi_add(multi, easy.pointer)
    }

    private func streamChanged(_ id: UInt64) {
        guard let transfer = transfers[id] else { return }
        if transfer.isAbandoned { return end(id, with: .failure(CancellationError())) }
        transfer.resume()
        timetable.note(transfer.expiry)
    }

    private func finishDone() {
        var result = HALYARD_E_OK
        while let pointer = halyard_multi_next_done(multi, &result) {
            guard let transfer = Transfer.of(EasyHandle(pointer)) else { continue }
            end(transfer.id, with: transfer.outcome(result))
        }
    }

    private func endOverdue() {
        let now = Instant.now
        guard timetable.isDue(now) else { return }
        timetable = Timetable()
        for transfer in transfers.values {
            if let error = transfer.overdue(now) {
                end(transfer.id, with: .failure(error))
            } else {
                timetable.note(transfer.expiry)
            }
        }
    }

    private func end(_ id: UInt64, with outcome: Result<HTTPResponse, any Error>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        // First the answer: taking a handle off can wait for a name lookup that nobody can break off.
        transfer.end(with: outcome)
        _ = halyard_multi_remove(multi, transfer.easy.pointer)
        transfer.release()
        if spares.count < 256 { spares.append(transfer.easy) } else { transfer.easy.free() }
    }

    private func close() {
        mailbox.close()
        for id in transfers.keys { end(id, with: .failure(CancellationError())) }
        for spare in spares { spare.free() }
        halyard_multi_cleanup(multi)
    }
}
