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

private struct ElementParser<Element: Decodable & Sendable>: BodyParser {
    var mediaTypes: String? { "application/json, */*;q=0.5" }

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

/// Finds the elements of an array in JSON that arrives in chunks, and keeps only one element in memory.
struct JSONElementScanner {
    private enum State { case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd, done }

    /// A container on the path, or the array itself.
    private struct Container {
        let isObject: Bool
        /// The number of elements before the next one.
        var index = 0
    }

    /// The names and indices that lead to the array.
    private let path: JSONPath
    // A byte order mark at the start is skipped (RFC 8259 section 8.1).
    private var window = ByteWindow(skipsMark: true)
    private var state = State.value
    private var containers: [Container] = []
    private var name = ""
    /// The value whose end is searched, and the place of its first byte.
    private var skipped: (skipper: JSONValueSkipper, start: Int)?
    private var isFound = false

    /// The maximum number of bytes of an element or a name.
    private let limit: Int

    init(at keyPath: String, limit: Int = .max) {
        path = JSONPath(keyPath)
        self.limit = limit
    }

    /// The number of elements so far.
    private(set) var count = 0

    /// Appends bytes of the JSON.
    mutating func append(_ chunk: Data) {
        window.append(chunk, keepingFrom: isName || isInArray ? skipped?.start : nil)
    }

    /// Returns the bytes of the next element; `nil` if more bytes are needed.
    mutating func next() throws(HTTPError) -> ArraySlice<UInt8>? {
        while window.position < window.end {
            if skipped != nil {
                guard let element = try endOfValue() else { continue }
                return element
            }
            let byte = window[window.position]
            if byte.isJSONBlank { window.position += 1 } else { try read(byte) }
        }
        return nil
    }

    /// Checks that the JSON is complete, and had the array.
    func finish() throws(HTTPError) {
        guard state == .done else { throw error("the JSON ends before it is complete") }
        guard isFound else { throw HTTPError(.decoding, reason: "\(JSONPath.Missing(path, count: path.steps.count))") }
    }

    /// Reads one byte that is not a blank, outside of a skipped value.
    private mutating func read(_ byte: UInt8) throws(HTTPError) {
        switch (state, byte) {
        case (.valueOrEnd, UInt8(ascii: "]")), (.commaOrEnd, UInt8(ascii: "]")): try close(isObject: false)
        case (.nameOrEnd, UInt8(ascii: "}")), (.commaOrEnd, UInt8(ascii: "}")): try close(isObject: true)
        case (.value, _), (.valueOrEnd, _): try beginValue(byte)
        case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")): skip(byte)
        case (.colon, UInt8(ascii: ":")):
            state = .value
            window.position += 1
        case (.commaOrEnd, UInt8(ascii: ",")):
            let last = containers.count - 1
            containers[last].index += 1
            state = containers[last].isObject ? .name : .value
            window.position += 1
        default: throw unexpected(byte)
        }
    }

    private mutating func beginValue(_ byte: UInt8) throws(HTTPError) {
        guard isOnPath else { return skip(byte) }
        let (isObject, isArray) = (byte == UInt8(ascii: "{"), byte == UInt8(ascii: "["))
        let isTarget = containers.count == path.steps.count
        guard isArray || isObject && !isTarget else {
            guard ASCIISet.startOfValue.contains(byte) else { throw unexpected(byte) }
            let place = containers.isEmpty ? "the body" : path.prefix(containers.count).quoted
            throw HTTPError(.decoding, reason: "\(place) is not \(isTarget ? "an array" : "an object or an array")")
        }
        isFound = isTarget
        containers.append(Container(isObject: isObject))
        state = isObject ? .nameOrEnd : .valueOrEnd
        window.position += 1
    }

    /// Whether the next value is the name of a member.
    private var isName: Bool { state == .name || state == .nameOrEnd }

    /// Whether the next value is an element of the array.
    private var isInArray: Bool { isFound && containers.count > path.steps.count }

    /// Whether the next value is the array, or contains it.
    private var isOnPath: Bool {
        guard !isFound, let container = containers.last else { return !isFound }
        let step = path.steps[containers.count - 1]
        return container.isObject ? step.name == name : step.index == container.index
    }

    private mutating func close(isObject: Bool) throws(HTTPError) {
        guard containers.last?.isObject == isObject else { throw unexpected(window[window.position]) }
        containers.removeLast()
        window.position += 1
        state = containers.isEmpty ? .done : .commaOrEnd
    }

    private mutating func skip(_ byte: UInt8) { skipped = (JSONValueSkipper(byte), window.position) }

    /// Reads on to the end of the value that is skipped. Returns an element.
    private mutating func endOfValue() throws(HTTPError) -> ArraySlice<UInt8>? {
        guard let (begun, start) = skipped else { return nil }
        var skipper = begun
        let result = window.withBytes(from: window.position) { skipper.read($0) }
        switch result {
        case .incomplete:
            window.position = window.end
            skipped = (skipper, start)
            try checkLength(from: start)
            return nil
        case .unbalanced(let offset):
            window.position += offset
            throw unexpected(window[window.position])
        case .tooDeep: throw error("more than \(JSONValueSkipper.depthLimit) nested levels")
        case .end(let offset):
            guard offset > 0 || window.position > start else { throw unexpected(window[window.position]) }
            window.position += offset
            skipped = nil
            try checkLength(from: start)
        }
        if isName {
            name = try text(window[start..<window.position])
            state = .colon
            return nil
        }
        state = containers.isEmpty ? .done : .commaOrEnd
        guard isInArray else { return nil }
        count += 1
        return window[start..<window.position]
    }

    /// Checks the length of an element or a name, or of the start of it.
    private func checkLength(from start: Int) throws(HTTPError) {
        guard isName || isInArray, window.position - start > limit else { return }
        throw HTTPError(
            .bodyTooLarge(limit: limit),
            reason: isName ? "a name is longer than the limit" : "element \(count) is larger than the limit",
            suggestion: "Raise the limit of elements(of:at:limit:)")
    }

    /// Returns the text of a string with its quotes.
    private func text(_ string: ArraySlice<UInt8>) throws(HTTPError) -> String {
        guard string.contains(UInt8(ascii: "\\")) else {
            return String(decoding: string.dropFirst().dropLast(), as: UTF8.self)
        }
        guard let text = (try? JSON(parsing: Data(string)))?.string else {
            throw error("the name is not a JSON string")
        }
        return text
    }

    private func unexpected(_ byte: UInt8) -> HTTPError {
        error("unexpected \(String(decoding: [byte], as: UTF8.self).quoted)")
    }

    private func error(_ problem: String) -> HTTPError {
        HTTPError(.decoding, reason: "\(problem), at byte \(window.position) of the body")
    }
}

extension ASCIISet {
    /// The bytes that begin a JSON value.
    fileprivate static let startOfValue = ASCIISet("{[\"-0123456789tfn")
}
