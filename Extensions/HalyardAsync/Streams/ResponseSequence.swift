public import Dispatch
import HalyardCodable

/// The elements of a response as they arrive: its chunks, its lines, the values in them, the items of its pages, or the
/// messages of a WebSocket.
///
/// The request is sent when the loop begins. If the loop is slower than the server, about a megabyte is buffered, and
/// then the transfer pauses. Leaving the loop, or cancelling its task, ends the transfer.
///
/// ```swift
/// func names() -> ResponseSequence<String> { api.request(.names).lines }
/// ```
public struct ResponseSequence<Element: Sendable>: ResponseStream {
    private let iterator: @Sendable (_ limit: Int) -> Iterator
    private var limit = Int.max

    /// - Parameter source: Makes the source of a loop, which may use the limit to do nothing in vain.
    package init<Source: ElementSource<Element>>(_ source: @escaping @Sendable (_ limit: Int) -> Source) {
        iterator = { Iterator(source($0), limit: $0) }
    }

    /// Returns a sequence that ends after a number of elements, without an error. It requests no page that it does not
    /// need.
    public func limited(to count: Int) -> ResponseSequence {
        var sequence = self
        sequence.limit = count
        return sequence
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { iterator(limit) }

    /// Iterates over the elements of any ``ResponseStream``.
    public struct Iterator: AsyncIteratorProtocol {
        // The iterator is inlinable, and its source is behind closures that are compiled for the source's type: a loop
        // over lines otherwise takes twice as long (`streams parse` of the benchmarks).
        @usableFromInline let pull: () throws -> Element?
        @usableFromInline let read: nonisolated(nonsending) () async throws -> Bool
        @usableFromInline var rest: Int

        init<Source: ElementSource<Element>>(_ source: Source, limit: Int = .max) {
            var source = source
            pull = { try source.next() }
            read = { try await source.read() }
            rest = limit
        }

        /// Returns the next element; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        @inlinable
        public mutating func next() async throws -> Element? { try await advance() }

        /// Returns the next element. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await advance()
        }

        @inlinable
        nonisolated(nonsending) mutating func advance() async throws -> Element? {
            guard rest > 0 else { return nil }
            repeat {
                if let element = try pull() {
                    rest -= 1
                    return element
                }
            } while try await read()
            return nil
        }
    }
}

/// Where the elements of a sequence come from. After an error there are no more.
package protocol ElementSource<Element>: SendableMetatype {
    associatedtype Element: Sendable

    /// Returns the next element; `nil` if it has to be read first.
    mutating func next() throws -> Element?

    /// Reads what may be a part of the next elements. Returns `false` at the end.
    nonisolated(nonsending) mutating func read() async throws -> Bool
}

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
