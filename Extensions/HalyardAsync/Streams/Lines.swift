public import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

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
    static var mediaTypes: String? { nil }
    private var chunk: Data?

    mutating func append(_ chunk: Data) { self.chunk = chunk }
    mutating func next(in body: OpenBody) -> Data? { chunk.take() }
}

/// Decodes lines of text.
private struct LineParser: BodyParser {
    static var mediaTypes: String? { nil }
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

/// Splits bytes into lines, without LF or CR LF. A byte order mark at the start is no part of the first one.
struct LineSplitter {
    private var window = ByteWindow(skipsMark: true)
    private var isFinished = false

    /// The number of bytes of an incomplete line. A CR at its end may belong to the line break, and does not count.
    var pending: Int { line(to: window.end).count }

    mutating func append(_ chunk: Data) { window.append(chunk) }

    /// Returns the next complete line; after ``finish()`` also the last one.
    mutating func next() -> ArraySlice<UInt8>? {
        if let end = window.find({ $0 == UInt8(ascii: "\n") }) {
            defer { window.position = end + 1 }
            return line(to: end)
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
        let hasReturn = end > start && window[end - 1] == UInt8(ascii: "\r")
        return window[start..<(hasReturn ? end - 1 : end)]
    }
}
