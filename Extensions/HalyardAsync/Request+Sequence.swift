public import HalyardCodable

extension Request {
    /// Returns an asynchronous sequence of one decoded value, for code that expects a sequence, as with Rx or Combine.
    ///
    /// ```swift
    /// for try await user in api.request(.me).sequence(of: User.self) { show(user) }
    /// ```
    ///
    /// The sequence is cold: iterating starts the request. Every loop over the same request receives the same value. A
    /// Combine publisher can be made from a future:
    ///
    /// ```swift
    /// Deferred { Combine.Future { promise in
    ///     api.request(.me).responseValue(.object(User.self), on: .global()) { promise($0.result) }
    /// } }
    /// ```
    ///
    /// - Parameter keyPath: The path of the value in the JSON, with dots. Defaults to the whole JSON.
    public func sequence<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = ""
    ) -> ResponseSequence<T> {
        sequence(.object(type, at: keyPath))
    }

    /// Returns an asynchronous sequence of one value, the result of a serializer.
    public func sequence<Value>(_ serializer: ResponseSerializer<Value>) -> ResponseSequence<Value> {
        ResponseSequence { _ in ValueSource(request: self, serializer: serializer) }
    }
}

/// The value of a response.
private struct ValueSource<Element: Sendable>: ElementSource {
    var request: Request?
    let serializer: ResponseSerializer<Element>
    var value: Element?

    mutating func next() -> Element? { value.take() }

    nonisolated(nonsending) mutating func read() async throws -> Bool {
        guard let request = request.take() else { return false }
        value = try await request.value(serializer)
        return true
    }
}
