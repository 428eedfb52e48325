import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The elements of one JSON array in the response as they arrive, with backpressure. Only one element is in memory,
    /// so that the body may have any size.
    ///
    /// ```swift
    /// for try await user in api.request(.export).elements(of: User.self, at: "data.users") { add(user) }
    /// ```
    ///
    /// Values are read with the mapper of the route or the provider. The JSON outside of the array is only searched:
    /// its brackets must match, and its strings must end. If a name occurs more than once, the first one counts.
    ///
    /// JSON that is incomplete or does not fit is an ``HTTPError`` of kind `decoding`, after the elements before it. It
    /// contains the place; for an element, the response in the error has the element as its body.
    ///
    /// - Parameters:
    ///   - keyPath: The path of the array: names of members and indices of elements, separated by dots. An index counts
    ///     from the start, because the end of a stream is not known. Defaults to the whole body.
    ///   - limit: The maximum number of bytes of an element. A larger one is an ``HTTPError`` of kind `bodyTooLarge`.
    ///     Defaults to 16 MiB.
    public func elements<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "", limit: Int = 16 << 20
    ) -> ResponseSequence<T> {
        ResponseSequence { _ in BodySource(self, ElementParser<T>(at: keyPath, limit: limit)) }
    }
}

/// Decodes the elements of an array.
private struct ElementParser<Element: Decodable & Sendable>: BodyParser {
    static var mediaTypes: String? { "application/json, */*;q=0.5" }

    private let keyPath: String
    private var scanner: JSONElementScanner

    init(at keyPath: String, limit: Int) {
        (self.keyPath, scanner) = (keyPath, JSONElementScanner(at: keyPath, limit: limit))
    }

    mutating func append(_ chunk: Data) { scanner.append(chunk) }

    mutating func next(in body: OpenBody) throws -> Element? {
        guard let bytes = try scanner.next() else { return nil }
        let place = "\(keyPath)[\(scanner.count - 1)]"
        return try body.value(Element.self, of: Data(bytes), at: place, isJSON: true)
    }

    func finish(in body: OpenBody) throws { try scanner.finish() }
}
