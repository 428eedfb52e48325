/// Parses one JSON text. Open arrays and objects are on a stack of its own, so that no input can exhaust the thread's
/// stack.
///
/// The buffer must outlive the reader: `JSON.init(parsing:)` keeps both within one closure. Every access to a byte
/// follows a check against `end`.
struct JSONReader {
    let bytes: UnsafeBufferPointer<UInt8>
    let start: Int
    let end: Int
    var position: Int
    /// The buffer for a string with escapes. It is reused.
    var unescaped: [UInt8] = []

    private let maximumDepth: Int
    /// The number of values until the next check for cancellation. `nil` for no checks.
    private var untilCancellationCheck: Int?
    private static let valuesBetweenChecks = 4096
    private var open: [Container] = []
    /// The elements of the open arrays, and the members of the open objects, the outermost first.
    private var elements: [JSON] = []
    private var members: [JSON.Object.Element] = []

    /// An array or object that is not closed yet.
    private struct Container {
        /// The index of its first element in `elements` or `members`.
        let first: Int
        /// The name of the next value. `nil` in an array.
        var name: String?
    }

    /// Makes a reader.
    ///
    /// - Parameter stopsWhenCancelled: Whether a long text ends with an error when the task is cancelled.
    init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int, stopsWhenCancelled: Bool = false) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        untilCancellationCheck = stopsWhenCancelled ? Self.valuesBetweenChecks : nil
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        end = bytes.count
        position = start
    }

    /// The next byte. `nil` at the end.
    var next: UInt8? { position < end ? bytes[position] : nil }

    mutating func readDocument() throws(JSON.ParseError) -> JSON {
        guard start < end else { throw .emptyInput }
        while true {
            if untilCancellationCheck != nil { try checkCancellation() }
            guard var value = try readScalarOrOpen() else { continue }
            while let container = open.last {
                guard try append(value, to: container) else { break }
                value = close(container)
            }
            if open.isEmpty {
                skipBlanks()
                if position < end { throw unexpected("the end of the input after the value") }
                return value
            }
        }
    }

    private mutating func checkCancellation() throws(JSON.ParseError) {
        guard let left = untilCancellationCheck, left == 0 else {
            untilCancellationCheck? -= 1
            return
        }
        if Task.isCancelled { throw .cancelled }
        untilCancellationCheck = Self.valuesBetweenChecks
    }

    mutating func skipBlanks() {
        while position < end {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Skips blanks, and then `byte` if it is next.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard next == byte else { return false }
        position += 1
        return true
    }
}

extension JSONReader {
    /// Reads a value. Returns `nil` if an array or object was opened that has at least one value.
    private mutating func readScalarOrOpen() throws(JSON.ParseError) -> JSON? {
        skipBlanks()
        switch next {
        case UInt8(ascii: "\""): return .string(try readString())
        case UInt8(ascii: "-"): return .number(try readNumber())
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number(try readNumber())
        case UInt8(ascii: "["): return try openArray()
        case UInt8(ascii: "{"): return try openObject()
        case UInt8(ascii: "t"): return try readWord("true", as: true)
        case UInt8(ascii: "f"): return try readWord("false", as: false)
        case UInt8(ascii: "n"): return try readWord("null", as: nil)
        default: throw unexpected("a value")
        }
    }

    private mutating func readWord(_ word: StaticString, as value: JSON) throws(JSON.ParseError) -> JSON {
        let isThere = word.withUTF8Buffer { bytes[position...].starts(with: $0) }
        guard isThere else { throw failure("expected \(word), found another word") }
        position += word.utf8CodeUnitCount
        return value
    }

    private mutating func openArray() throws(JSON.ParseError) -> JSON? {
        try descend()
        if skip(UInt8(ascii: "]")) { return .array([]) }
        open.append(Container(first: elements.count))
        return nil
    }

    private mutating func openObject() throws(JSON.ParseError) -> JSON? {
        try descend()
        if skip(UInt8(ascii: "}")) { return .object([:]) }
        open.append(Container(first: members.count, name: try readName(or: "\"}\"")))
        return nil
    }

    private mutating func descend() throws(JSON.ParseError) {
        guard open.count < maximumDepth else {
            throw failure("arrays and objects are nested deeper than \(maximumDepth) levels")
        }
        position += 1
    }

    private mutating func readName(or alternative: String? = nil) throws(JSON.ParseError) -> String {
        skipBlanks()
        guard next == UInt8(ascii: "\"") else {
            if next == UInt8(ascii: "}") { throw failure("an object may not end with a comma") }
            throw unexpected("a name in double quotes" + (alternative.map { " or \($0)" } ?? ""))
        }
        let name = try readString()
        guard skip(UInt8(ascii: ":")) else { throw unexpected("\":\" after a name") }
        return name
    }

    /// Appends a value to the innermost array or object. Returns whether that ends here.
    private mutating func append(_ value: JSON, to container: Container) throws(JSON.ParseError) -> Bool {
        guard let name = container.name else {
            elements.append(value)
            if skip(UInt8(ascii: "]")) { return true }
            guard skip(UInt8(ascii: ",")) else { throw unexpected("\",\" or \"]\" after an element") }
            skipBlanks()
            if next == UInt8(ascii: "]") { throw failure("an array may not end with a comma") }
            return false
        }
        members.append((name, value))
        if skip(UInt8(ascii: "}")) { return true }
        guard skip(UInt8(ascii: ",")) else { throw unexpected("\",\" or \"}\" after a member") }
        open[open.count - 1].name = try readName()
        return false
    }

    private mutating func close(_ container: Container) -> JSON {
        open.removeLast()
        if container.name == nil {
            defer { elements.removeSubrange(container.first...) }
            return .array(Array(elements[container.first...]))
        }
        defer { members.removeSubrange(container.first...) }
        return .object(JSON.Object(Array(members[container.first...])))
    }
}
