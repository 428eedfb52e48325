import HalyardFoundation

/// The state of one encoding: the JSON so far, and the values that are being encoded.
///
/// A value is written to the end of the bytes while its `encode(to:)` runs. An object's members are sorted when it ends.
/// A nested container or the encoder of a superclass may be used at any time, so it has an encoding of its own, whose
/// bytes are inserted when the value around it ends.
final class ObjectEncoding {
    /// A value whose `encode(to:)` runs.
    struct Frame {
        enum Kind { case empty, scalar, object, array }

        /// Tells this value from others at the same depth.
        let serial: Int
        /// The position of its first byte.
        let start: Int
        /// The number of members in `members` before its own.
        let firstMember: Int
        /// The number of inserted encodings in `children` before its own.
        let firstChild: Int
        var kind = Kind.empty
        /// The number of elements or members so far.
        var count = 0
        /// Whether a name has an escape, so that its bytes are not those of the name.
        var hasEscapedName = false
    }

    /// A member of an open object.
    struct Member {
        /// The position of its name's quote.
        let start: Int
        /// The position of the name's closing quote.
        let nameEnd: Int
        /// The first eight bytes of the name as a big-endian word. A shorter name is padded with zeros.
        let prefix: UInt64
        /// The position after its value.
        var end: Int
    }

    /// An encoding whose bytes are inserted at a position.
    struct Child {
        let position: Int
        let encoding: ObjectEncoding
        /// The name of its member. `nil` in an array.
        let name: String?
    }

    /// The maximum depth, so that a value with a cycle does not exhaust the stack.
    static let maximumDepth = 511

    /// What changes while values are written.
    struct State: ~Copyable {
        var bytes = ByteBuffer(capacity: 512)
        var frames: [Frame] = []
        var members: [Member] = []
        var children: [Child] = []
        /// The order of the members of the last object with a count, by the count. Objects of one type mostly have the
        /// same.
        var orders: [[Int]] = []
        var serials = 0
        /// The number of values that are being written in place of another one.
        var inPlaceDepth = 0
    }

    let coding: ObjectCoding
    let types: TypeCache
    let state: UncheckedState<State>
    /// The path and the depth of an inserted encoding.
    private let outerPath: [any CodingKey]
    private let outerDepth: Int

    init(_ coding: ObjectCoding, path: [any CodingKey] = [], depth: Int = 0) {
        self.coding = coding
        types = TypeCache()
        state = UncheckedState(State())
        (outerPath, outerDepth) = (path, depth)
    }

    var bytes: ByteBuffer {
        @inline(__always) _read { yield state.value.bytes }
        @inline(__always) _modify { yield &state.value.bytes }
    }

    var frames: [Frame] {
        @inline(__always) _read { yield state.value.frames }
        @inline(__always) _modify { yield &state.value.frames }
    }

    var members: [Member] {
        @inline(__always) _read { yield state.value.members }
        @inline(__always) _modify { yield &state.value.members }
    }

    var children: [Child] {
        @inline(__always) _read { yield state.value.children }
        @inline(__always) _modify { yield &state.value.children }
    }

    /// The number of values around the next one.
    @inline(__always)
    private var depth: Int { outerDepth + frames.count + state.value.inPlaceDepth }

    /// Makes an encoding that is inserted into this one. `nil` if it would be too deep.
    func inserted(after key: any CodingKey) -> ObjectEncoding? {
        guard depth < Self.maximumDepth else { return nil }
        return ObjectEncoding(coding, path: path(ofFrame: frames.count - 1) + [key], depth: depth)
    }

    /// The path of the value that is being written.
    var path: [any CodingKey] { path(ofFrame: frames.count) }

    /// Returns the path of a value whose `encode(to:)` runs.
    func path(ofFrame index: Int) -> [any CodingKey] {
        var path = outerPath
        for (number, frame) in frames.prefix(max(index, 0)).enumerated() {
            let last = (number + 1 < frames.count ? frames[number + 1].firstMember : members.count) - 1
            switch frame.kind {
            case .object where last >= frame.firstMember:
                path.append(PathKey(name: name(of: members[last], isEscaped: frame.hasEscapedName)))
            case .array: path.append(PathKey(index: frame.count))
            case .object, .scalar, .empty: break
            }
        }
        return path
    }
}

extension ObjectEncoding {
    /// Begins a value.
    @inline(__always)
    func push(_ value: some Any) throws {
        guard depth < Self.maximumDepth else { throw Self.tooDeep(value) }
        state.value.serials += 1
        frames.append(
            Frame(
                serial: state.value.serials, start: bytes.count, firstMember: members.count, firstChild: children.count)
        )
    }

    /// Counts a level while a value is written in place of the innermost one.
    func countLevel(of value: some Any, _ write: () throws -> Void) throws {
        guard depth < Self.maximumDepth else { throw Self.tooDeep(value) }
        state.value.inPlaceDepth += 1
        defer { state.value.inPlaceDepth -= 1 }
        try write()
    }

    /// Begins an array or object as the innermost value, unless it is one already.
    ///
    /// - Returns: `false` if the innermost value is another one.
    @inline(__always)
    func begin(_ kind: Frame.Kind) -> Bool {
        let top = frames.count - 1
        if frames[top].kind == .empty {
            frames[top].kind = kind
            bytes.append(kind == .array ? UInt8(ascii: "[") : UInt8(ascii: "{"))
        }
        return frames[top].kind == kind
    }

    @inline(never)
    static func tooDeep(_ value: Any) -> EncodingError {
        let message = "it is nested more than \(maximumDepth) levels deep"
        return .invalidValue(value, .init(codingPath: [], debugDescription: message))
    }

    /// Begins the outermost value of an encoding that is inserted into another one.
    func pushFirst() {
        state.value.serials += 1
        frames.append(Frame(serial: state.value.serials, start: 0, firstMember: 0, firstChild: 0))
    }

    /// Ends the innermost value.
    @inline(__always)
    func pop() throws {
        let frame = frames.removeLast()
        if children.count > frame.firstChild { try insertChildren(of: frame) }
        switch frame.kind {
        case .object:
            if members.count - frame.firstMember > 1 { sortMembers(of: frame) }
            members.removeLast(members.count - frame.firstMember)
            bytes.append(UInt8(ascii: "}"))
        case .array: bytes.append(UInt8(ascii: "]"))
        case .empty:
            // The outermost value is then an error.
            if outerDepth + frames.count > 0 { write(ascii: "{}") }
        case .scalar: break
        }
    }

    /// Ends all values.
    func finish() throws {
        while !frames.isEmpty { try pop() }
    }
}

/// An array, or a dictionary with strings as keys, which are not converted. Their elements are written without a
/// container of the encoder.
protocol JSONWritableContainer {
    var frameKind: ObjectEncoding.Frame.Kind { get }

    /// Writes the elements to the innermost value.
    func writeElements(to encoding: ObjectEncoding) throws
}

extension JSONWritableContainer {
    func write(to encoding: ObjectEncoding) throws {
        try encoding.push(self)
        _ = encoding.begin(frameKind)
        try writeElements(to: encoding)
        try encoding.pop()
    }
}

extension Array: JSONWritableContainer where Element: Encodable {
    var frameKind: ObjectEncoding.Frame.Kind { .array }

    func writeElements(to encoding: ObjectEncoding) throws {
        for element in self {
            encoding.beginElement()
            try encoding.write(element)
            encoding.endElement()
        }
    }
}

extension Dictionary: JSONWritableContainer where Key == String, Value: Encodable {
    var frameKind: ObjectEncoding.Frame.Kind { .object }

    func writeElements(to encoding: ObjectEncoding) throws {
        for (name, value) in self {
            encoding.beginMember(named: name)
            try encoding.write(value)
            encoding.endMember()
        }
    }
}
