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
    private let source: @Sendable (_ limit: Int) -> any ElementSource<Element>
    private var limit = Int.max

    /// - Parameter source: Makes the source of a loop, which may use the limit to do nothing in vain.
    package init(_ source: @escaping @Sendable (_ limit: Int) -> any ElementSource<Element>) { self.source = source }

    /// Returns a sequence that ends after a number of elements, without an error. It requests no page that it does not
    /// need.
    public func limited(to count: Int) -> ResponseSequence {
        var sequence = self
        sequence.limit = count
        return sequence
    }

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(source(limit), limit: limit) }

    /// Iterates over the elements of any ``ResponseStream``.
    public struct Iterator: AsyncIteratorProtocol {
        private var source: any ElementSource<Element>
        private var rest: Int

        init(_ source: any ElementSource<Element>, limit: Int = .max) { (self.source, rest) = (source, limit) }

        /// Returns the next element; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> Element? { try await advance() }

        /// Returns the next element. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await advance()
        }

        private nonisolated(nonsending) mutating func advance() async throws -> Element? {
            guard rest > 0 else { return nil }
            repeat {
                if let element = try source.next() {
                    rest -= 1
                    return element
                }
            } while try await source.read()
            return nil
        }
    }
}

/// Where the elements of a sequence come from. After an error there are no more.
package protocol ElementSource<Element> {
    associatedtype Element: Sendable

    /// Returns the next element; `nil` if it has to be read first.
    mutating func next() throws -> Element?

    /// Reads what may be a part of the next elements. Returns `false` at the end.
    nonisolated(nonsending) mutating func read() async throws -> Bool
}
