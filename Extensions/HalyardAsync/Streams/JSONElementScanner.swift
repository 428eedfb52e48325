import HalyardFoundation
import HalyardHTTP

/// Finds the elements of an array in JSON that arrives in chunks, and keeps only one element in memory. It has no side
/// effects.
struct JSONElementScanner {
    private enum State { case value, valueOrEnd, name, nameOrEnd, colon, commaOrEnd, done }

    /// What is done with a value when its end is found.
    private enum Purpose { case element, name, nothing }

    /// A container on the path, or the array itself.
    private struct Container {
        let isObject: Bool
        /// The number of elements before the next one.
        var index = 0
    }

    /// The names and indices that lead to the array.
    private let path: JSONPath
    private var bytes: [UInt8] = []
    private var position = 0
    /// The number of bytes that were dropped before ``bytes``.
    private var dropped = 0
    private var state = State.value
    private var containers: [Container] = []
    private var name = ""
    private var skipped: (skipper: JSONValueSkipper, purpose: Purpose, start: Int)?
    private var isFound = false
    /// The number of bytes of a byte order mark at the start, which is skipped (RFC 8259 section 8.1).
    private var markLength = 0

    /// The maximum number of bytes of an element or a name.
    private let limit: Int

    /// - Parameters:
    ///   - keyPath: The path of the array, with dots. Empty for the whole JSON.
    ///   - limit: The maximum number of bytes of an element or a name. Defaults to no limit.
    init(at keyPath: String, limit: Int = .max) {
        path = JSONPath(keyPath)
        self.limit = limit
    }

    /// The number of elements so far.
    private(set) var count = 0

    /// Appends bytes of the JSON.
    mutating func append(_ chunk: Data) {
        var kept = position
        if let skipped, skipped.purpose != .nothing { kept = skipped.start }
        bytes.removeSubrange(..<kept)
        position -= kept
        dropped += kept
        skipped?.start -= kept
        bytes.append(contentsOf: chunk)
    }

    /// Returns the bytes of the next element; `nil` if more bytes are needed.
    ///
    /// - Throws: ``Fault`` of kind `decoding`, with the position, or of kind `bodyTooLarge`.
    mutating func next() throws(Fault) -> ArraySlice<UInt8>? {
        while position < bytes.count {
            if skipped != nil {
                guard let element = try endOfValue() else { continue }
                return element
            }
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): position += 1
            default: try read(byte)
            }
        }
        return nil
    }

    /// Checks that the JSON is complete.
    ///
    /// - Throws: ``Fault`` of kind `decoding` if the JSON is not complete, or if the array is missing.
    func finish() throws(Fault) {
        guard state == .done else { throw fault("the JSON ends before it is complete") }
        guard isFound else { throw Fault(.decoding, reason: "\(JSONPath.Missing(path, count: path.steps.count))") }
    }

    /// Reads one byte that is not a blank, outside of a skipped value.
    private mutating func read(_ byte: UInt8) throws(Fault) {
        if try readsMark(byte) { return }
        switch (state, byte) {
        case (.valueOrEnd, UInt8(ascii: "]")), (.commaOrEnd, UInt8(ascii: "]")): try close(isObject: false)
        case (.nameOrEnd, UInt8(ascii: "}")), (.commaOrEnd, UInt8(ascii: "}")): try close(isObject: true)
        case (.value, _), (.valueOrEnd, _): try beginValue(byte)
        case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")): skip(byte, for: .name)
        case (.colon, UInt8(ascii: ":")):
            state = .value
            position += 1
        case (.commaOrEnd, UInt8(ascii: ",")):
            let last = containers.count - 1
            containers[last].index += 1
            state = containers[last].isObject ? .name : .value
            position += 1
        default: throw unexpected(byte)
        }
    }

    /// Reads a byte of a byte order mark. Returns `false` for any other byte.
    private mutating func readsMark(_ byte: UInt8) throws(Fault) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard markLength < mark.count, dropped + position == markLength else { return false }
        guard byte == mark[markLength] else {
            if markLength == 0 { return false }
            throw unexpected(byte)
        }
        markLength += 1
        position += 1
        return true
    }

    private mutating func beginValue(_ byte: UInt8) throws(Fault) {
        if isInArray { return skip(byte, for: .element) }
        guard isOnPath else { return skip(byte, for: .nothing) }
        let (isObject, isArray) = (byte == UInt8(ascii: "{"), byte == UInt8(ascii: "["))
        let isTarget = containers.count == path.steps.count
        guard isArray || isObject && !isTarget else {
            guard ASCIISet.startOfValue.contains(byte) else { throw unexpected(byte) }
            let place = containers.isEmpty ? "the body" : path.prefix(containers.count).quoted
            throw Fault(.decoding, reason: "\(place) is not \(isTarget ? "an array" : "an object or an array")")
        }
        isFound = isTarget
        containers.append(Container(isObject: isObject))
        state = isObject ? .nameOrEnd : .valueOrEnd
        position += 1
    }

    /// Whether the next value is an element of the array.
    private var isInArray: Bool { isFound && containers.count > path.steps.count }

    /// Whether the next value is the array, or contains it.
    private var isOnPath: Bool {
        guard !isFound, let container = containers.last else { return !isFound }
        let step = path.steps[containers.count - 1]
        return container.isObject ? step.name == name : step.index == container.index
    }

    private mutating func close(isObject: Bool) throws(Fault) {
        guard containers.last?.isObject == isObject else { throw unexpected(bytes[position]) }
        containers.removeLast()
        position += 1
        state = containers.isEmpty ? .done : .commaOrEnd
    }

    private mutating func skip(_ byte: UInt8, for purpose: Purpose) {
        skipped = (JSONValueSkipper(byte), purpose, position)
    }

    /// Reads on to the end of the value that is skipped. Returns an element.
    private mutating func endOfValue() throws(Fault) -> ArraySlice<UInt8>? {
        guard let (begun, purpose, start) = skipped else { return nil }
        var skipper = begun
        let result = bytes.withUnsafeBufferPointer { skipper.read(UnsafeBufferPointer(rebasing: $0[position...])) }
        switch result {
        case .incomplete:
            position = bytes.count
            skipped = (skipper, purpose, start)
            try checkLength(of: purpose, from: start)
            return nil
        case .unbalanced(let offset):
            position += offset
            throw unexpected(bytes[position])
        case .tooDeep: throw fault("more than \(JSONValueSkipper.depthLimit) nested levels")
        case .end(let offset):
            guard offset > 0 || position > start else { throw unexpected(bytes[position]) }
            position += offset
            skipped = nil
            state = containers.isEmpty ? .done : .commaOrEnd
            try checkLength(of: purpose, from: start)
        }
        switch purpose {
        case .nothing: return nil
        case .name:
            name = try text(bytes[start..<position])
            state = .colon
            return nil
        case .element:
            count += 1
            return bytes[start..<position]
        }
    }

    /// Checks the length of an element or a name, or of the start of it.
    private func checkLength(of purpose: Purpose, from start: Int) throws(Fault) {
        guard purpose != .nothing, position - start > limit else { return }
        throw Fault(
            .bodyTooLarge(limit: limit),
            reason: purpose == .name ? "a name is longer than the limit" : "element \(count) is larger than the limit",
            suggestion: "Raise the limit of elements(of:at:limit:)")
    }

    /// Returns the text of a string with its quotes.
    private func text(_ string: ArraySlice<UInt8>) throws(Fault) -> String {
        guard string.contains(UInt8(ascii: "\\")) else {
            return String(decoding: string.dropFirst().dropLast(), as: UTF8.self)
        }
        guard let text = (try? JSON(parsing: Data(string)))?.string else {
            throw fault("the name is not a JSON string")
        }
        return text
    }

    private func unexpected(_ byte: UInt8) -> Fault {
        fault("unexpected \(String(decoding: [byte], as: UTF8.self).quoted)")
    }

    private func fault(_ problem: String) -> Fault {
        Fault(.decoding, reason: "\(problem), at byte \(dropped + position) of the body")
    }
}

extension ASCIISet {
    /// The bytes that begin a JSON value.
    fileprivate static let startOfValue = ASCIISet("{[\"-0123456789tfn")
}
