public import HalyardCodable
public import HalyardFoundation
import HalyardHTTP

extension Request {
    /// The response's body in chunks as they arrive, with backpressure. The request is sent when the loop begins.
    ///
    /// ```swift
    /// for try await chunk in api.request(.dump).chunks { hash.update(chunk) }
    /// ```
    ///
    /// Leaving the loop ends the transfer. The first observer of a request determines the destination of the body: if
    /// another observer keeps it in memory, it arrives as one chunk.
    public var chunks: ResponseSequence<Data> { ResponseSequence { _ in BodySource(self, ChunkParser()) } }

    /// The response's body line by line as it arrives, with backpressure. See ``chunks``.
    ///
    /// Lines end with LF or CR LF, which are not included. They are decoded with the charset of Content-Type, as
    /// `HTTPResponse.text` is, unless it is UTF-16. A byte order mark at the start is no part of the first line. A line
    /// of more than 16 MiB ends the loop with ``HTTPError`` of kind `bodyTooLarge`.
    public var lines: ResponseSequence<String> { ResponseSequence { _ in BodySource(self, LineParser()) } }
}

/// Passes chunks on.
private struct ChunkParser: BodyParser {
    var mediaTypes: String? { nil }
    private var chunk: Data?

    mutating func append(_ chunk: Data) { self.chunk = chunk }
    mutating func next(in body: OpenBody) -> Data? { chunk.take() }
}

/// Decodes lines of text.
private struct LineParser: BodyParser {
    var mediaTypes: String? { nil }
    private static let limit = 16 << 20

    private var splitter = LineSplitter()
    /// The charset of the response. `nil` for one that is not known.
    private var charset: Charset?

    mutating func begin(_ body: OpenBody) { charset = body.response.declaredCharset }

    mutating func append(_ chunk: Data) { splitter.append(chunk) }

    mutating func next(in body: OpenBody) throws -> String? {
        let line = splitter.next()
        guard (line?.count ?? splitter.pending) <= Self.limit else {
            throw HTTPError(
                .bodyTooLarge(limit: Self.limit), reason: "a line is longer than the limit",
                suggestion: "Read the response's chunks instead of its lines")
        }
        return line.map { charset?.text($0) ?? Charset.ascii($0) }
    }

    mutating func finish(in body: OpenBody) { splitter.finish() }
}

/// Splits bytes into lines, without their line breaks. A byte order mark at the start is no part of the first one.
struct LineSplitter {
    private var window = ByteWindow(skipsMark: true)
    /// Whether a CR without LF ends a line as well.
    private let endsAtReturn: Bool
    /// Whether the last line ended with CR, so that LF belongs to the same line break.
    private var skipsLineFeed = false
    private var isFinished = false

    init(endsAtReturn: Bool = false) { self.endsAtReturn = endsAtReturn }

    /// The number of bytes of an incomplete line. A CR at its end may belong to the line break, and does not count.
    var pending: Int { line(to: window.end).count }

    mutating func append(_ chunk: Data) { window.append(chunk) }

    /// Returns the next complete line; after ``finish()`` also the last one.
    mutating func next() -> ArraySlice<UInt8>? {
        if skipsLineFeed, window.position < window.end {
            skipsLineFeed = false
            if window[window.position] == .lineFeed { window.position += 1 }
        }
        let found =
            endsAtReturn
            ? window.find { $0 == .lineFeed || $0 == .carriageReturn } : window.find { $0 == .lineFeed }
        if let found {
            skipsLineFeed = window[found] == .carriageReturn
            defer { window.position = found + 1 }
            return line(to: found)
        }
        guard isFinished, window.position < window.end else { return nil }
        defer { window.position = window.end }
        return line(to: window.end)
    }

    /// Ends the last line, which need not have a line break.
    mutating func finish() {
        window.finish()
        isFinished = true
    }

    private func line(to end: Int) -> ArraySlice<UInt8> {
        let start = window.position
        let hasReturn = end > start && window[end - 1] == .carriageReturn
        return window[start..<(hasReturn ? end - 1 : end)]
    }
}

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
    ///   - onInvalid: Receives the error of a line that does not fit, and the loop continues. Without it the loop ends
    ///     with the error, which has the number of the line and the place in it. Its response has the line as its body.
    public func lines<T: Decodable & Sendable>(
        of type: T.Type = T.self, limit: Int = 16 << 20, onInvalid: (@Sendable (HTTPError) -> Void)? = nil
    ) -> ResponseSequence<T> {
        ResponseSequence { _ in BodySource(self, LineValueParser<T>(limit: limit, onInvalid: onInvalid)) }
    }
}

/// Decodes the values of JSON Lines and of JSON text sequences.
private struct LineValueParser<Element: Decodable & Sendable>: BodyParser {
    var mediaTypes: String? { "application/x-ndjson, application/jsonl, application/json-seq, */*;q=0.5" }

    let limit: Int
    let onInvalid: (@Sendable (HTTPError) -> Void)?
    var lines = LineSplitter()
    /// The texts of a text sequence. `nil` for lines.
    var texts: TextSequenceSplitter?
    var hasBegun = false
    /// The number of lines, with empty ones. In a text sequence it is the number of texts.
    var count = 0

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
                throw HTTPError(.decoding, reason: problem, response: body.containing(data))
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
