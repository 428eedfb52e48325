import Dispatch
import HalyardFoundation

/// Opens a file and writes a response's body to it on a queue of its own, so that an engine's thread never waits for
/// the disk.
///
/// The engine writes into ``pipe``, whose size is limited, and calls ``finish(with:completion:)`` at the end of the
/// transfer. The outcome is delivered when all received bytes are in the file, or the file is discarded.
package final class FileWriter: Sendable {
    /// The pipe for the body. It is closed when the file cannot be written; ``failure`` has the reason.
    package let pipe: BytePipe

    private struct State: Sendable {
        var isScheduled = false
        /// Why the file could not be opened or written.
        var failure: (any Error)?
        /// The outcome of the transfer, until it is delivered.
        var outcome: Result<HTTPResponse, any Error>?
        var completion: (@Sendable (Result<HTTPResponse, any Error>) -> Void)?
        /// Whether the remaining bytes are not needed.
        var isAbandoned = false
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "Halyard.FileWriter")
    /// `nonisolated(unsafe)` is sound: only work on the queue accesses it.
    private nonisolated(unsafe) var file: (any DownloadFile)?
    /// Whether received bytes are written although the request is cancelled.
    private let keepsPartialBody: Bool

    /// Opens the file on the queue.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of bytes that wait to be written.
    ///   - reserve: The number of bytes that an engine may write beyond that after it checked ``BytePipe/isFull()``.
    package init(_ opening: DownloadFileOpening, capacity: Int, reserve: Int) {
        pipe = BytePipe(capacity: capacity, reserve: reserve)
        keepsPartialBody = opening.isResumable
        pipe.onArrival { [weak self] in self?.schedule() }
        queue.async {
            do throws(HTTPError) { self.file = try opening.open() } catch { self.fail(error) }
        }
    }

    /// Why the file could not be opened or written; `nil` while there is no error.
    package var failure: (any Error)? { state.withLock { $0.failure } }

    /// Ends the transfer. Received bytes are written first, unless the request was cancelled and cannot be resumed.
    ///
    /// - Parameters:
    ///   - outcome: The response, which receives its file, or the error.
    ///   - completion: Called once, when the file is complete or discarded.
    package func finish(
        with outcome: Result<HTTPResponse, any Error>,
        completion: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Void
    ) {
        var isAbandoned = false
        if case .failure(let error) = outcome { isAbandoned = error is CancellationError && !keepsPartialBody }
        state.withLock { ($0.outcome, $0.completion, $0.isAbandoned) = (outcome, completion, isAbandoned) }
        pipe.finish()
        schedule()
    }

    private func schedule() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.async { self.drain() } }
    }

    // The following functions run on the queue.

    private func drain() {
        state.withLock { $0.isScheduled = false }
        guard let file else { return deliverOutcome() }
        do {
            while true {
                if state.withLock({ $0.isAbandoned }) { throw CancellationError() }
                switch try pipe.tryNext() {
                case .chunk(let chunk): try chunk.withUnsafeBytes { bytes throws in try file.write(bytes) }
                case .nothingYet: return
                case .end: return deliverOutcome()
                }
            }
        } catch { fail(error) }
    }

    private func fail(_ error: any Error) {
        state.withLock { $0.failure = $0.failure ?? error }
        file?.discard()
        file = nil
        pipe.close()
        deliverOutcome()
    }

    /// Delivers the outcome, once the transfer has ended.
    private func deliverOutcome() {
        let (ended, failure) = state.withLock { state -> (State?, (any Error)?) in
            guard state.outcome != nil else { return (nil, nil) }
            defer { (state.outcome, state.completion) = (nil, nil) }
            return (state, state.failure)
        }
        guard let ended, let outcome = ended.outcome else { return }
        switch outcome {
        case .success(var response):
            let head = response
            response.downloadFile = file
            // Without the file, the response shows what the server sent.
            let annotated = failure.map { ($0 as? HTTPError)?.adding(response: head) ?? $0 }
            ended.completion?(annotated.map { .failure($0) } ?? .success(response))
        case .failure:
            file?.discard()
            ended.completion?(outcome)
        }
        file = nil
    }
}
