public import HalyardCodable

extension Request {
    /// Returns an asynchronous sequence of one decoded value, for code that expects a sequence, as with Rx or Combine.
    ///
    /// ```swift
    /// for try await user in api.request(.me).sequence(of: User.self) { show(user) }
    /// ```
    ///
    /// The sequence is cold: iterating starts the request. A Combine publisher can be made from a future:
    ///
    /// ```swift
    /// Deferred { Combine.Future { promise in
    ///     api.request(.me).responseObject(of: User.self, on: .global()) { promise($0.result) }
    /// } }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value. Defaults to the type of the context.
    ///   - keyPath: The path of the value in the JSON, with dots. Defaults to the whole JSON.
    /// - Returns: The sequence. It throws ``HTTPError`` or an error of the provider's hooks.
    public func sequence<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = ""
    ) -> ResponseSequence<T> {
        sequence(.object(type, at: keyPath))
    }

    /// Returns an asynchronous sequence of one value, the result of a serializer.
    ///
    /// - Parameter serializer: Converts the response.
    /// - Returns: The sequence. It throws an error of the serializer, ``HTTPError``, or an error of the provider's
    ///   hooks.
    public func sequence<Value>(_ serializer: ResponseSerializer<Value>) -> ResponseSequence<Value> {
        ResponseSequence(request: self, serializer: serializer)
    }
}

/// A sequence of one value of a response, or an error. See ``Request/sequence(of:at:)``.
public struct ResponseSequence<Element: Sendable>: AsyncSequence, Sendable {
    let request: Request
    let serializer: ResponseSerializer<Element>

    /// Begins a loop. Every loop over the same request receives the same value.
    ///
    /// - Returns: The iterator.
    public func makeAsyncIterator() -> Iterator { Iterator(request: request, serializer: serializer) }

    /// Iterates over the value.
    public struct Iterator: AsyncIteratorProtocol {
        var request: Request?
        let serializer: ResponseSerializer<Element>

        /// Returns the value in the first call, and `nil` afterwards.
        ///
        /// - Returns: The value; `nil` after the first call.
        /// - Throws: ``HTTPError``, `CancellationError`, and what user code throws.
        public mutating func next() async throws -> Element? {
            guard let request = request.take() else { return nil }
            return try await request.value(serializer)
        }
    }
}
