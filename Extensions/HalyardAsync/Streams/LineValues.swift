import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The values of a response that has one JSON text in each line, as they arrive, with backpressure.
    ///
    /// ```swift
    /// for try await change in api.request(.watch).lines(of: Change.self) { apply(change) }
    /// ```
    ///
    /// The formats are JSON Lines, which is also called NDJSON, and JSON text sequences (RFC 7464), whose texts begin
    /// with the byte 1E and may have several lines. Empty lines are skipped. Values are read with the mapper of the
    /// route or the provider. For lines of several types, read an `enum`, or ``JSON``.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes of a line. A longer one is an ``HTTPError`` of kind `bodyTooLarge`.
    ///     Defaults to 16 MiB.
    ///   - onInvalid: Receives the error of a line that does not fit, and the loop continues. Defaults to `nil`: the
    ///     loop then ends with the error. The error is an ``HTTPError`` of kind `decoding`, with the number of the line
    ///     and the place in it. Its response has the line as its body.
    public func lines<T: Decodable & Sendable>(
        of type: T.Type = T.self, limit: Int = 16 << 20, onInvalid: (@Sendable (HTTPError) -> Void)? = nil
    ) -> ResponseSequence<T> {
        ResponseSequence { _ in BodySource(self, LineValueParser<T>(limit: limit, onInvalid: onInvalid)) }
    }
}

/// Decodes the values of JSON Lines and of JSON text sequences.
private struct LineValueParser<Element: Decodable & Sendable>: BodyParser {
    static var mediaTypes: String? { "application/x-ndjson, application/jsonl, application/json-seq, */*;q=0.5" }

    private let limit: Int
    private let onInvalid: (@Sendable (HTTPError) -> Void)?
    private var lines = LineSplitter()
    /// The texts of a text sequence. `nil` for lines.
    private var texts: TextSequenceSplitter?
    private var hasBegun = false
    /// The number of lines, with empty ones. In a text sequence it is the number of texts.
    private var count = 0

    init(limit: Int, onInvalid: (@Sendable (HTTPError) -> Void)?) { (self.limit, self.onInvalid) = (limit, onInvalid) }

    mutating func append(_ chunk: Data) {
        if !hasBegun, chunk.first == .recordSeparator { texts = TextSequenceSplitter() }
        hasBegun = true
        if texts == nil { lines.append(chunk) } else { texts?.append(chunk) }
    }

    mutating func next(in body: OpenBody) throws -> Element? {
        while let text = texts == nil ? lines.next().map({ TextSequenceSplitter.Text(bytes: $0) }) : texts?.next() {
            count += 1
            try check(text.bytes.count, count)
            if let value = try value(of: text, in: body) { return value }
        }
        try check(texts?.pending ?? lines.pending, count + 1)
        return nil
    }

    mutating func finish(in body: OpenBody) {
        lines.finish()
        texts?.finish()
    }

    /// Returns the value of a line. `nil` for an empty line, and for an invalid one that a handler receives.
    private func value(of text: TextSequenceSplitter.Text, in body: OpenBody) throws -> Element? {
        if text.bytes.allSatisfy(\.isJSONBlank) { return nil }
        let data = Data(text.bytes)
        do throws(HTTPError) {
            if let problem = text.problem {
                throw HTTPError(.decoding, reason: problem.rawValue, response: body.containing(data))
            }
            return try body.value(Element.self, of: data, isJSON: true)
        } catch {
            let error = error.inside(place(count))
            guard let onInvalid else { throw error }
            onInvalid(body.outcome.annotated(error))
            return nil
        }
    }

    /// Checks the number of bytes of a line.
    private func check(_ length: Int, _ number: Int) throws(HTTPError) {
        guard length > limit else { return }
        throw HTTPError(
            .bodyTooLarge(limit: limit), reason: "\(place(number)) is longer than the limit",
            suggestion: "Raise the limit of lines(of:limit:)")
    }

    private func place(_ number: Int) -> String { texts == nil ? "line \(number)" : "text \(number)" }
}
