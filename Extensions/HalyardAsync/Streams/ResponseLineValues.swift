import HalyardFoundation
import HalyardHTTP
public import HalyardCodable

extension Request {
    /// The values of a response that has one JSON text in each line, as they arrive, with backpressure.
    ///
    /// ```swift
    /// for try await change in api.request(.watch).lines(as: Change.self) { apply(change) }
    /// ```
    ///
    /// The formats are JSON Lines, which is also called NDJSON, and JSON text sequences (RFC 7464), whose texts begin with
    /// the byte 1E and may have several lines. Empty lines are skipped. Values are read with the mapper of the route or
    /// the provider. For lines of several types, read an `enum`, or ``JSON``.
    ///
    /// - Parameters:
    ///   - type: The type of the values. Defaults to the type of the context.
    ///   - limit: The maximum number of bytes of a line. A longer one is an ``HTTPError`` of kind `bodyTooLarge`. Defaults
    ///     to 16 MiB.
    ///   - onInvalid: Receives the error of a line that does not fit, and the loop continues. Defaults to `nil`: the loop
    ///     then ends with the error. The error is an ``HTTPError`` of kind `decoding`, with the number of the line and
    ///     the place in it. Its response has the line as its body.
    /// - Returns: The values.
    public func lines<T: Decodable & Sendable>(
        as type: T.Type = T.self, limit: Int = 16 << 20, onInvalid: (@Sendable (HTTPError) -> Void)? = nil
    ) -> ResponseLineValues<T> {
        ResponseLineValues(request: self, limit: limit, onInvalid: onInvalid)
    }
}

/// The values of a response that has one JSON text in each line. See `Request/lines(as:limit:onInvalid:)`.
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
        private var splitter = LineSplitter()
        /// The number of lines, with empty ones. In a text sequence it is the number of texts.
        private var count = 0
        private var isSequence = false

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
            splitter.append(chunk)
            guard count == 0, !isSequence, splitter.first == .recordSeparator else { return }
            isSequence = true
            splitter.separator = .recordSeparator
        }

        /// Returns the value of the next complete line.
        private mutating func nextValue(of body: OpenBody) throws -> Element? {
            while let line = splitter.next() {
                if let value = try value(of: line, in: body) { return value }
            }
            guard splitter.pending <= values.limit else {
                throw body.error(
                    .bodyTooLarge(limit: values.limit), reason: "line \(count + 1) is longer than the limit",
                    suggestion: "Raise the limit of lines(as:limit:)")
            }
            return nil
        }

        /// Returns the value of a last line without a line break.
        private mutating func lastValue(of body: OpenBody) throws -> Element? {
            guard let line = splitter.finish() else { return nil }
            // RFC 7464 section 2.4: only a text that shows its own end is known to be complete.
            let isComplete = !isSequence || [UInt8]("}]\"\n".utf8).contains(line.last ?? 0)
            return try value(of: line, in: body, isComplete: isComplete)
        }

        /// Returns the value of a line. `nil` for an empty line, and for an invalid one that a handler receives.
        private mutating func value(
            of line: ArraySlice<UInt8>, in body: OpenBody, isComplete: Bool = true
        ) throws -> Element? {
            let isEmpty = line.allSatisfy { $0.isBlank || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            // What precedes the first separator is no text.
            if isSequence && isEmpty { return nil }
            count += 1
            if isEmpty { return nil }
            let place = isSequence ? "text \(count)" : "line \(count)"
            do throws(HTTPError) {
                guard isComplete else {
                    throw HTTPError(.decoding, reason: "the text is cut off", response: body.containing(Data(line)))
                }
                return try body.value(Element.self, of: Data(line), isJSON: true)
            } catch {
                let error = body.annotated(error.inside(place))
                guard let onInvalid = values.onInvalid else { throw error }
                onInvalid(error)
                return nil
            }
        }
    }
}

extension UInt8 {
    /// The byte that begins a JSON text in a sequence (RFC 7464).
    fileprivate static let recordSeparator: UInt8 = 0x1E
}
