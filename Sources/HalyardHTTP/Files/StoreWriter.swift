import Dispatch

/// A value whose records are written to a file, all at once.
package protocol WrittenStore: Sendable {
    associatedtype Record: Sendable

    var all: [Record] { get }
    /// A number that changes with each change that is worth a write.
    var revision: UInt64 { get }
}

/// Writes the records of a store to a file, one write at a time. One write includes all changes that were made before
/// it began.
///
/// No lock is held during a write. Only callers that need their records on the disk wait for it.
package final class StoreWriter<Store: WrittenStore>: Sendable {
    /// Writes all records. It is called on one thread at a time.
    package typealias Write = @Sendable ([Store.Record]) throws(HTTPError) -> Void

    private struct State: Sendable {
        /// The revision of the last write, whether it succeeded or not.
        var revision: UInt64
        var error: HTTPError?
    }

    private let write: Write
    private let store: Lock<Store>
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "halyard.store")

    /// Makes a writer for records that are already in the file.
    package init(_ store: Lock<Store>, _ write: @escaping Write) {
        self.store = store
        self.write = write
        state = Lock(State(revision: store.withLock(\.revision)))
    }

    /// The error of the last write. `nil` if it succeeded.
    package var error: HTTPError? { state.withLock(\.error) }

    /// Whether there are changes that no completed write includes.
    package var isBehind: Bool {
        let revision = state.withLock(\.revision)
        return store.withLock(\.revision) != revision
    }

    /// Writes the present changes, and blocks the caller until they are written. `isForced` says whether to write even
    /// without a change. Returns the error of the write. `nil` if it succeeded.
    @discardableResult
    package func flush(isForced: Bool = false) -> HTTPError? {
        queue.sync {
            update(isForced: isForced)
            return error
        }
    }

    /// Writes the present changes, and waits until they are written or the task is cancelled. A cancellation does not
    /// stop the write.
    package func written() async {
        let waiter = CancellableWaiter<Void>()
        queue.async {
            self.update(isForced: false)
            waiter.end(with: .success(()))
        }
        _ = await waiter.result()
    }

    /// Writes the file. It runs only on the queue.
    private func update(isForced: Bool) {
        guard isForced || isBehind else { return }
        let (revision, records) = store.withLock { ($0.revision, $0.all) }
        var failure: HTTPError?
        do throws(HTTPError) { try write(records) } catch { failure = error }
        state.withLock { $0 = State(revision: revision, error: failure) }
    }
}
