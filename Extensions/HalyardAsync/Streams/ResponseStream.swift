public import Dispatch
import HalyardCodable

/// A response's body as a sequence: its chunks, lines, events or values.
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
    /// - Parameters:
    ///   - handler: Receives an element.
    ///   - onEnd: Called once, after the last element: with an error if the stream has failed. After a cancellation it
    ///     receives `CancellationError`, or ``HTTPError`` of kind `cancelled`. Defaults to nothing.
    /// - Returns: The task that reads the stream. Cancelling it ends the transfer.
    @discardableResult
    public func forEach(
        _ handler: @escaping @MainActor (Element) -> Void,
        onEnd: @escaping @MainActor (Result<Void, any Error>) -> Void = { _ in }
    ) -> Task<Void, Never> {
        Task { @concurrent in
            let result = await each { await handler($0) }
            await onEnd(result)
        }
    }

    /// Calls a handler with each element as it arrives, on a queue. The next element is read when the handler has
    /// returned.
    ///
    /// - Parameters:
    ///   - queue: The queue of both handlers.
    ///   - handler: Receives an element.
    ///   - onEnd: Called once, after the last element. Defaults to nothing.
    /// - Returns: The task that reads the stream. Cancelling it ends the transfer.
    @discardableResult
    public func forEach(
        on queue: DispatchQueue, _ handler: @escaping @Sendable (Element) -> Void,
        onEnd: @escaping @Sendable (Result<Void, any Error>) -> Void = { _ in }
    ) -> Task<Void, Never> {
        Task { @concurrent in
            let result = await each { await queue.call(handler, with: $0) }
            await queue.call(onEnd, with: result)
        }
    }

    private func each(_ body: (Element) async -> Void) async -> Result<Void, any Error> {
        do {
            for try await element in self { await body(element) }
            // A loop ends without an error if its task is cancelled while no element is read.
            try Task.checkCancellation()
            return .success(())
        } catch { return .failure(error) }
    }
}
