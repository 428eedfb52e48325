import CHalyardCurl
import HalyardHTTP

// The start and the end of transfers.
extension EventLoop {
    /// Starts a request, or queues it until there is a connection.
    func admit(_ pending: PendingTransfer) {
        guard !isClosing else { return pending.fail(with: HTTPError(.shutDown)) }
        let now = context.iteration.now
        if let queue = limiter.admit(pending, now: now) {
            start(pending, queue, since: now)
        } else {
            context.iteration.deadline.include(pending.context.timeout.flatMap(now.advanced(by:)))
        }
    }

    private func start(_ pending: PendingTransfer, _ queue: OriginQueue, since: MonotonicInstant) {
        shutDownDue(context.iteration.now)
        do throws(HTTPError) {
            let easy = try easyHandles.take(for: pending.request.origin, sockets: socketCallbacks)
            let transfer = Transfer(pending, queue, easy, context, since: since)
            transfers[pending.id] = transfer
            context.iteration.deadline.include(transfer.nextDeadline)
            context.batch.add(queue)
            guard halyard_multi_add_handle(multi, easy.pointer) != 0 else { return }
            end(pending.id, with: .failure(CurlLibrary.unavailable(because: "libcurl accepts no more transfers")))
        } catch {
            pending.fail(with: error)
            releaseConnection(of: queue)
        }
    }

    /// Records that a transfer no longer occupies a connection, and starts waiting requests.
    func releaseConnection(of queue: OriginQueue) {
        limiter.release(queue)
        startWaiting(after: queue)
    }

    private func startWaiting(after queue: OriginQueue) {
        while let next = limiter.admitNext(after: queue) { start(next.request, next.queue, since: next.since) }
    }

    /// Continues a transfer after the user's end of one of its streams has changed.
    func streamChanged(_ id: UInt64) {
        guard let transfer = transfers[id] else { return bytesReady(id) }
        if transfer.isAbandoned {
            return end(id, with: .failure(transfer.fileWriter?.failure ?? CancellationError()))
        }
        transfer.resume()
        // During the call libcurl delivers bytes that it has kept. It ignores an error of the callback then.
        if let failure = transfer.failure { return end(id, with: .failure(failure)) }
        context.iteration.deadline.include(transfer.nextDeadline)
    }

    /// Ends the transfers that libcurl has completed. Call it after each call of libcurl that may complete transfers.
    ///
    /// The callers are resumed last: a resumed caller may submit its next request at once, and then finds the free
    /// connection and handle.
    func endCompleted() {
        context.notifier.pauseFullStreams()
        while let queue = context.multiplexedQueues.popLast() {
            limiter.markMultiplexed(queue)
            startWaiting(after: queue)
        }
        var result = HALYARD_E_OK
        while let pointer = halyard_multi_next_completed(multi, &result) {
            guard let id = EasyHandle.fromPointer(pointer)?.id else { continue }
            guard let transfer = transfers.removeValue(forKey: id) else {
                connected(id, result)
                continue
            }
            if transfer.mustMove(after: result), move(transfer) { continue }
            transfer.end(with: transfer.outcome(result))
            transfer.learnConnection(poller.socket)
            detach(transfer, isClean: result == HALYARD_E_OK)
            ended.append(transfer)
        }
        for transfer in ended { transfer.deliverOutcome() }
        ended.removeAll(keepingCapacity: true)
    }

    /// Starts a transfer again that libcurl has completed with an error. Returns `false` if libcurl does not accept it.
    private func move(_ transfer: Transfer) -> Bool {
        _ = halyard_multi_remove_handle(multi, transfer.easy.pointer)
        transfer.prepareMove()
        guard halyard_multi_add_handle(multi, transfer.easy.pointer) == 0 else { return false }
        transfers[transfer.id] = transfer
        return true
    }

    /// Ends a transfer that libcurl has not completed.
    func end(_ id: UInt64, with outcome: Result<HTTPResponse, any Error>) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        transfer.end(with: outcome)
        // The caller is resumed first: removing the handle may wait for a name lookup that cannot be interrupted.
        transfer.deliverOutcome()
        detach(transfer, isClean: false)
    }

    /// Ends all transfers and waiting requests.
    func endAll(_ error: HTTPError) {
        for pending in limiter.removeAll() { pending.fail(with: error) }
        for id in transfers.keys { end(id, with: .failure(error)) }
        for connection in rawConnections.all { end(connection, throwing: error) }
    }

    /// Removes a transfer from libcurl, and starts waiting requests unless its file is still being written. `isClean`
    /// says whether libcurl has completed it without an error, so that its handle can be used again.
    private func detach(_ transfer: Transfer, isClean: Bool) {
        _ = halyard_multi_remove_handle(multi, transfer.easy.pointer)
        transfer.detach()
        easyHandles.put(transfer.easy, isClean: isClean)
        if transfer.fileWriter == nil {
            releaseConnection(of: transfer.queue)
        } else {
            pendingFiles[transfer.id] = transfer.queue
        }
    }
}
