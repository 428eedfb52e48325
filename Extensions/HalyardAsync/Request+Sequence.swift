public import HalyardCodable

extension Request {
    /// The response as a sequence of one object: one value and then the end, or an error. For those who come from Rx or
    /// Combine, and for code that takes any sequence.
    ///
    /// ```swift
    /// for try await user in api.request(.me).sequence(of: User.self) { show(user) }
    /// ```
    ///
    /// It is cold, as a request is. Where a publisher is wanted, a future of Combine's makes one:
    ///
    /// ```swift
    /// Deferred { Combine.Future { promise in
    ///     api.request(.me).responseObject(of: User.self, on: .global()) { promise($0.result) }
    /// } }
    /// ```
    public func sequence<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = ""
    ) -> ResponseSequence<T> {
        sequence(.object(type, at: keyPath))
    }

    /// The response as a sequence of the one value that a serializer makes of it.
    public func sequence<Value>(_ serializer: ResponseSerializer<Value>) -> ResponseSequence<Value> {
        ResponseSequence(request: self, serializer: serializer)
    }
}

/// One value of a response, then the end; or an error. See ``Request/sequence(of:at:)``.
public struct ResponseSequence<Element: Sendable>: AsyncSequence, Sendable {
    let request: Request
    let serializer: ResponseSerializer<Element>

    /// Begins a loop. Each loop over the same request gets the same value.
    public func makeAsyncIterator() -> Iterator { Iterator(request: request, serializer: serializer) }

    /// Gives the value.
    public struct Iterator: AsyncIteratorProtocol {
        var request: Request?
        let serializer: ResponseSerializer<Element>

        /// The value, the first time; nil after that.
        public mutating func next() async throws -> Element? {
            guard let request = request.take() else { return nil }
            return try await request.value(serializer)
        }
    }
}
