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
    ///   - type: The type of the values. Defaults to the type of the context.
    ///   - limit: The maximum number of bytes of a line. A longer one is an ``HTTPError`` of kind `bodyTooLarge`.
    ///     Defaults to 16 MiB.
    ///   - onInvalid: Receives the error of a line that does not fit, and the loop continues. Defaults to `nil`: the
    ///     loop then ends with the error. The error is an ``HTTPError`` of kind `decoding`, with the number of the line
    ///     and the place in it. Its response has the line as its body.
    /// - Returns: The values.
    public func lines<T: Decodable & Sendable>(
        of type: T.Type = T.self, limit: Int = 16 << 20, onInvalid: (@Sendable (HTTPError) -> Void)? = nil
    ) -> ResponseLineValues<T> {
        ResponseLineValues(request: self, limit: limit, onInvalid: onInvalid)
    }
}

/// The values of a response that has one JSON text in each line. See `Request/lines(of:limit:onInvalid:)`.
public struct ResponseLineValues<Element: Decodable & Sendable>: ResponseStream {
    let request: Request
    let limit: Int
    let onInvalid: (@Sendable (HTTPError) -> Void)?

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: ResponseLineValues
        private var phase = Phase.cold
        private var lines = LineSplitter()
        /// The texts of a text sequence. `nil` for lines.
        private var texts: TextSequenceSplitter?
        /// The number of lines, with empty ones. In a text sequence it is the number of texts.
        private var count = 0

        private enum Phase {
            case cold
            case open(OpenBody)
            /// The last line may follow.
            case ended(OpenBody)
            case done
        }

        init(_ values: ResponseLineValues) { self.values = values }

        /// Returns the next value; `nil` at the end.
        ///
        /// - Throws: ``HTTPError``, `CancellationError`, or an error of the provider's hooks.
        public mutating func next() async throws -> Element? { try await advance() }

        /// Returns the next value. If one is available, the call does not leave the caller's actor.
        @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Element? {
            try await advance()
        }

        private nonisolated(nonsending) mutating func advance() async throws -> Element? {
            do {
                while true {
                    switch phase {
                    case .cold: phase = .open(try await OpenBody.open(values.request, of: Self.mediaTypes))
                    case .open(var body):
                        if let value = try nextValue(of: body) { return value }
                        let chunk = try await body.next()
                        phase = chunk == nil ? .ended(body) : .open(body)
                        if let chunk { append(chunk) }
                    case .ended(let body):
                        phase = .done
                        return try lastValue(of: body)
                    case .done: return nil
                    }
                }
            } catch {
                phase = .done
                throw error
            }
        }

        private static var mediaTypes: String {
            "application/x-ndjson, application/jsonl, application/json-seq, */*;q=0.5"
        }

        private mutating func append(_ chunk: Data) {
            if count == 0, lines.pending == 0, chunk.first == .recordSeparator, texts == nil {
                texts = TextSequenceSplitter()
            }
            if texts == nil { lines.append(chunk) } else { texts?.append(chunk) }
        }

        /// Returns the value of the next complete line or text.
        private mutating func nextValue(of body: OpenBody) throws -> Element? {
            while true {
                if let text = texts?.next() {
                    if let value = try value(of: text.bytes, in: body, problem: text.problem) { return value }
                } else if texts == nil, let line = lines.next() {
                    if let value = try value(of: line, in: body) { return value }
                } else {
                    try check(texts?.pending ?? lines.pending, count + 1, body)
                    return nil
                }
            }
        }

        /// Returns the value of a last line without a line break, or of a last text.
        private mutating func lastValue(of body: OpenBody) throws -> Element? {
            if let text = texts?.finish() {
                return try value(of: text.bytes, in: body, problem: text.problem)
            }
            return try lines.finish().flatMap { try value(of: $0, in: body) }
        }

        /// Returns the value of a line. `nil` for an empty line, and for an invalid one that a handler receives.
        private mutating func value(
            of line: ArraySlice<UInt8>, in body: OpenBody, problem: TextSequenceSplitter.Problem? = nil
        ) throws -> Element? {
            count += 1
            try check(line.count, count, body)
            if line.allSatisfy(\.isJSONBlank) { return nil }
            do throws(HTTPError) {
                if let problem {
                    throw HTTPError(.decoding, reason: problem.rawValue, response: body.containing(Data(line)))
                }
                return try body.value(Element.self, of: Data(line), isJSON: true)
            } catch {
                let error = body.annotated(error.inside(place(count)))
                guard let onInvalid = values.onInvalid else { throw error }
                onInvalid(error)
                return nil
            }
        }

        /// Checks the number of bytes of a line.
        private func check(_ length: Int, _ number: Int, _ body: OpenBody) throws(HTTPError) {
            guard length > values.limit else { return }
            throw body.error(
                .bodyTooLarge(limit: values.limit), reason: "\(place(number)) is longer than the limit",
                suggestion: "Raise the limit of lines(of:limit:)")
        }

        private func place(_ number: Int) -> String { texts == nil ? "line \(number)" : "text \(number)" }
    }
}
