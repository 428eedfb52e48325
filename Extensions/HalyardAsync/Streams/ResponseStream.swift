public import Dispatch
import HalyardCodable

/// What arrives with a response, as a sequence: a ``ResponseSequence``, ``ResponseEvents`` or ``ResponsePages``.
///
/// Iterate it with `for try await`, or receive its elements with ``forEach(_:onEnd:)``.
public protocol ResponseStream: AsyncSequence, Sendable where Element: Sendable {}

extension ResponseStream {
    /// Calls a handler with each element as it arrives, on the main actor. The next element is read when the handler has
    /// returned.
    ///
    /// ```swift
    /// let feed = api.request(.feed).events.forEach { event in show(event.data) } onEnd: { result in print(result) }
    /// feed.cancel()
    /// ```
    ///
    /// - Parameter onEnd: Called once, after the last element: with an error if the stream has failed. After a
    ///   cancellation it receives `CancellationError`, or ``HTTPError`` of kind `cancelled`. Defaults to nothing.
    /// - Returns: The task that reads the stream. Cancelling it ends the transfer.
    @discardableResult
    public func forEach(
        _ handler: @escaping @MainActor (Element) -> Void,
        onEnd: @escaping @MainActor (Result<Void, any Error>) -> Void = { _ in }
    ) -> Task<Void, Never> {
        forEach(.main(handler), onEnd: .main(onEnd))
    }

    /// Calls a handler with each element as it arrives, on a queue, as ``forEach(_:onEnd:)`` does on the main actor.
    @discardableResult
    public func forEach(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Element) -> Void,
        onEnd: @escaping @Sendable (Result<Void, any Error>) -> Void = { _ in }
    ) -> Task<Void, Never> {
        forEach(.queue(queue, handler), onEnd: .queue(queue, onEnd))
    }

    private func forEach(_ handler: Handler<Element>, onEnd: Handler<Result<Void, any Error>>) -> Task<Void, Never> {
        Task { @concurrent in
            let result: Result<Void, any Error>
            do {
                for try await element in self { await handler.call(with: element) }
                // A loop ends without an error if its task is cancelled while no element is read.
                try Task.checkCancellation()
                result = .success(())
            } catch { result = .failure(error) }
            await onEnd.call(with: result)
        }
    }
}
