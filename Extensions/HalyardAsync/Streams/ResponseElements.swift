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
    /// - Parameters:
    ///   - type: The type of the elements. Defaults to the type of the context.
    ///   - keyPath: The path of the array: names of members and indices of elements, separated by dots. An index counts
    ///     from the start, because the end of a stream is not known. Defaults to the whole body.
    ///   - limit: The maximum number of bytes of an element. A larger one is an ``HTTPError`` of kind `bodyTooLarge`.
    ///     Defaults to 16 MiB.
    /// - Returns: The elements. JSON that is incomplete or does not fit is an ``HTTPError`` of kind `decoding`, after
    ///   the elements before it. It contains the place; for an element, the response in the error has the element as
    ///   its body.
    public func elements<T: Decodable & Sendable>(
        of type: T.Type = T.self, at keyPath: String = "", limit: Int = 16 << 20
    ) -> ResponseElements<T> {
        ResponseElements(request: self, keyPath: keyPath, limit: limit)
    }
}

/// The elements of a JSON array in a response. See `Request/elements(of:at:limit:)`.
public struct ResponseElements<Element: Decodable & Sendable>: ResponseStream {
    let request: Request
    let keyPath: String
    let limit: Int

    /// Begins a loop.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Iterates over the elements.
    public struct Iterator: AsyncIteratorProtocol {
        private let elements: ResponseElements
        private var scanner: JSONElementScanner
        private var phase = Phase.cold

        private enum Phase {
            case cold
            case open(OpenBody)
            case done
        }

        init(_ elements: ResponseElements) {
            self.elements = elements
            scanner = JSONElementScanner(at: elements.keyPath, limit: elements.limit)
        }

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
            do {
                if case .cold = phase {
                    phase = .open(try await OpenBody.open(elements.request, of: "application/json, */*;q=0.5"))
                }
                while case .open(var body) = phase {
                    if let element = try nextElement(of: body) { return element }
                    if let chunk = try await body.next() {
                        scanner.append(chunk)
                        phase = .open(body)
                    } else {
                        try body.annotatingFaults { () throws(Fault) in try scanner.finish() }
                        phase = .done
                    }
                }
                return nil
            } catch {
                phase = .done
                throw error
            }
        }

        private mutating func nextElement(of body: OpenBody) throws(HTTPError) -> Element? {
            guard let bytes = try body.annotatingFaults({ () throws(Fault) in try scanner.next() }) else {
                return nil
            }
            let place = "\(elements.keyPath)[\(scanner.count - 1)]"
            do { return try body.value(Element.self, of: Data(bytes), at: place, isJSON: true) } catch {
                throw body.annotated(error)
            }
        }
    }
}

extension OpenBody {
    /// Runs a closure, and turns its fault into an error with the request and the response.
    fileprivate func annotatingFaults<Value>(_ body: () throws(Fault) -> Value) throws(HTTPError) -> Value {
        do { return try body() } catch { throw annotated(HTTPError(error)) }
    }
}
