import Dispatch
import HalyardHTTP

/// Writes a jar's cookies, one write at a time, and once for all changes that were made before it began.
///
/// No lock is held during a write: only callers that must know their cookies to be on the disk wait for it.
final class CookieWriter: Sendable {
    /// Writes all cookies; called on one thread at a time.
    typealias Write = @Sendable ([Cookie]) throws(HTTPError) -> Void

    private struct State: Sendable {
        /// The revision of the cookies that were last written, or could not be.
        var revision: UInt64
        var error: HTTPError?
    }

    private let write: Write
    private let store: Lock<CookieStore>
    private let state: Lock<State>
    private let queue = DispatchQueue(label: "halyard.cookies")

    /// Makes a writer for cookies that are in the file as they are now.
    init(_ store: Lock<CookieStore>, _ write: @escaping Write) {
        self.store = store
        self.write = write
        state = Lock(State(revision: store.withLock(\.revision)))
    }

    /// Why the last write failed; nil when it did not.
    var error: HTTPError? { state.withLock(\.error) }

    /// Whether there are changes that no write has begun with and ended.
    var isBehind: Bool {
        let revision = state.withLock(\.revision)
        return store.withLock(\.revision) != revision
    }

    /// Writes the changes that were made until now, and blocks the caller until they are written.
    ///
    /// - Parameter isForced: whether to write without a change as well.
    /// - Returns: why they could not be written; nil when they are.
    @discardableResult
    func flush(isForced: Bool = false) -> HTTPError? {
        queue.sync {
            update(isForced: isForced)
            return error
        }
    }

    /// Writes the changes that were made until now, and waits until they are written, or until the task is cancelled:
    /// they are written then all the same.
    func written() async {
        let end = Latch()
        queue.async {
            self.update(isForced: false)
            end.open()
        }
        await withTaskCancellationHandler {
            await end.wait()
        } onCancel: {
            end.open()
        }
    }

    /// On the queue alone.
    private func update(isForced: Bool) {
        guard isForced || isBehind else { return }
        let (revision, cookies) = store.withLock { ($0.revision, $0.all) }
        var failure: HTTPError?
        do throws(HTTPError) { try write(cookies) } catch { failure = error }
        state.withLock { $0 = State(revision: revision, error: failure) }
    }
}
