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

    private static let writers = TypeCache<any JSONWritable.Type>.Known([:])

    /// The maximum depth, so that a value with a cycle does not exhaust the stack.
    static let maximumDepth = 511
    static let tooDeepMessage = "it is nested more than \(maximumDepth) levels deep"

    let coding: ObjectCoding
    let types = TypeCache(writers)
    /// The path and the depth of an inserted encoding.
    private let outerPath: [any CodingKey]
    private let outerDepth: Int

    // Checks of exclusive access would take longer than the changes, which never overlap: while a part is changed, no
    // other code runs that changes it.
    @exclusivity(unchecked) var bytes = ByteBuffer(capacity: 512)
    @exclusivity(unchecked) var frames: [Frame] = []
    @exclusivity(unchecked) var members: [Member] = []
    @exclusivity(unchecked) var children: [Child] = []
    /// The order of the members of the last object with a count, by the count. Objects of one type mostly have the same.
    @exclusivity(unchecked) var orders: [[Int]] = []
    @exclusivity(unchecked) private var serials = 0
    /// The number of values that are being written in place of another one.
    @exclusivity(unchecked) private var inPlaceDepth = 0

    /// Makes an encoding of one value, which begins, that is inserted into another encoding.
    convenience init(insertedInto outer: ObjectEncoding, after key: any CodingKey) {
        self.init(outer.coding, path: outer.path(ofFrame: outer.frames.count - 1) + [key], depth: outer.depth)
        serials = 1
        frames.append(Frame(serial: 1, start: 0, firstMember: 0, firstChild: 0))
    }

    init(_ coding: ObjectCoding, path: [any CodingKey] = [], depth: Int = 0) {
        (self.coding, outerPath, outerDepth) = (coding, path, depth)
    }

    /// The number of values around the next one.
    @inline(__always)
    var depth: Int { outerDepth + frames.count + inPlaceDepth }

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
    @inline(__always)
    func push(_ value: some Any) throws {
        guard depth < Self.maximumDepth else { throw Self.tooDeep(value) }
        serials += 1
        frames.append(
            Frame(
                serial: serials, start: bytes.count, firstMember: members.count, firstChild: children.count)
        )
    }

    /// Counts a level while a value is written in place of the innermost one.
    func countLevel(of value: some Any, _ write: () throws -> Void) throws {
        guard depth < Self.maximumDepth else { throw Self.tooDeep(value) }
        inPlaceDepth += 1
        defer { inPlaceDepth -= 1 }
        try write()
    }

    /// Begins an array, object or scalar as the innermost value, unless it is one already. Returns `false` if the
    /// innermost value is another one.
    @inline(__always)
    func begin(_ kind: Frame.Kind) -> Bool {
        let top = frames.count - 1
        if frames[top].kind == .empty {
            frames[top].kind = kind
            if kind != .scalar { bytes.append(kind == .array ? UInt8(ascii: "[") : UInt8(ascii: "{")) }
        }
        return frames[top].kind == kind
    }

    @inline(never)
    static func tooDeep(_ value: Any) -> EncodingError {
        .invalidValue(value, .init(codingPath: [], debugDescription: tooDeepMessage))
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
            if outerDepth + frames.count > 0 { bytes.append("{}") }
        case .scalar: break
        }
    }

    /// Ends all values.
    func finish() throws {
        while !frames.isEmpty { try pop() }
    }
}

/// A type that is written without an encoder.
protocol JSONWritable: Encodable, SendableMetatype {
    /// The kind of the value: an array, an object, or a scalar, which is written as one piece.
    static var frameKind: ObjectEncoding.Frame.Kind { get }

    /// Writes the value. An array or object is the innermost value of the encoding, to which its elements are added.
    func write(to encoding: ObjectEncoding) throws

    /// Adds elements to an array. The default is compiled for each type, so that long arrays are written fast.
    static func writeElements(_ elements: [Self], to encoding: ObjectEncoding) throws
}

/// A type whose values are read and written as one piece.
protocol JSONScalar: JSONReadable, JSONWritable {}
