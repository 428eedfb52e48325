/// Checks a JSON text (RFC 8259) and writes its structure: a `JSONWord` for each name and value, in the order of the
/// text. Strings and numbers are checked here and read later.
///
/// The readers of `Codable` types and of `JSON` both read the words, so that they accept the same texts.
struct JSONScanner: ~Copyable {
    /// The state of an open array or object.
    private struct Open {
        /// The index of its first word.
        var index: Int
        var isObject: Bool
        /// The number of elements or members so far.
        var count = 0
        var flags: UInt64 = 0
        /// The number of names in `names` before its own.
        var firstName = 0
        /// A bit for each name, at a place that depends on its bytes. A name whose bit is set may be there already.
        var seen: UInt64 = 0
    }

    let bytes: JSONBytes
    let end: Int
    var position: Int
    var words: WordBuffer
    /// A digest and the index of each name of the open objects, the outermost first.
    private var names = WordBuffer(capacity: 64)
    /// The innermost open array or object, and those around it.
    private var inner = Open(index: JSONWord.noParent, isObject: false)
    private var outer: [Open] = []
    private let notesCapitals: Bool
    private let maximumDepth: Int
    /// The number of words after which ``scanPart()`` ends before the next element.
    private let partLimit: Int

    /// The largest number of arrays and objects inside each other.
    static let maximumDepth = 512
    /// Texts up to this length fit the words.
    static let maximumLength = Int(UInt32.max)
    /// The number of names from which an object has an index.
    private static let indexedFrom = 128
    /// What is wrong with the text. A text without bytes is not read.
    private(set) var problem = Problem(kind: .empty, offset: 0)

    /// - Parameters:
    ///   - notesCapitals: Whether objects whose names have capital letters are marked.
    ///   - maximumDepth: Values above 512 mean 512.
    init(
        _ bytes: JSONBytes, from start: Int = 0, notesCapitals: Bool, maximumDepth: Int = Self.maximumDepth,
        partLimit: Int = .max
    ) {
        self.bytes = bytes
        self.notesCapitals = notesCapitals
        self.partLimit = partLimit
        self.maximumDepth = min(maximumDepth, Self.maximumDepth)
        end = bytes.count
        position = start
        // Compact JSON has a word for about eight bytes. A part ends after the limit.
        words = WordBuffer(capacity: (partLimit < end / 8 ? partLimit / 8 * 9 : end / 8) + 16)
        outer.reserveCapacity(16)
    }

    /// Reads a whole text, and returns its words. The caller deallocates them.
    consuming func scan() throws(Problem) -> (words: UnsafeMutablePointer<UInt64>, count: Int) {
        guard position < end, readText() else { throw problem }
        return words.release()
    }

    /// Reads elements of an array, in a text that starts with one of them, until there are as many words as the limit.
    /// Returns the words of an array with these elements, which the caller deallocates, the number of bytes that were
    /// read, and whether another element must follow.
    consuming func scanPart() throws(Problem) -> (
        words: UnsafeMutablePointer<UInt64>, count: Int, length: Int, hasMore: Bool
    ) {
        open(isObject: false)
        outer.append(inner)
        inner = Open(index: 0, isObject: false)
        guard readText() else { throw problem }
        let (length, hasMore) = (position, !outer.isEmpty)
        if hasMore { close() }
        let (words, count) = words.release()
        return (words, count, length, hasMore)
    }

    private mutating func readText() -> Bool {
        guard end <= Self.maximumLength else { return fail(.tooLong) }
        while true {
            switch readValue() {
            case .invalid: return false
            case .opened: continue
            case .value: break
            }
            // After a value: what follows it in its array or object, or the end of these.
            while true {
                skipBlanks()
                guard !outer.isEmpty else {
                    return position == end || fail(.expected("the end of the input after the value"))
                }
                guard position < end else { return failAfterValue() }
                inner.count += 1
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: ",") {
                    if inner.isObject, !readName() { return false }
                    if words.count >= partLimit, outer.count == 1 { return true }
                    break
                }
                guard byte == (inner.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    position -= 1
                    return failAfterValue()
                }
                close()
            }
        }
    }

    private enum Outcome { case value, opened, invalid }

    @inline(__always)
    private mutating func readValue() -> Outcome {
        skipBlanks()
        guard position < end else { return invalid(.expected("a value")) }
        switch bytes[position] {
        case UInt8(ascii: "\""): return readString() ? .value : .invalid
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return readNumber() ? .value : .invalid
        case UInt8(ascii: "{"): return openContainer(isObject: true)
        case UInt8(ascii: "["): return openContainer(isObject: false)
        case UInt8(ascii: "t"): return readWord("true", .yes)
        case UInt8(ascii: "f"): return readWord("false", .no)
        case UInt8(ascii: "n"): return readWord("null", .null)
        default: return failAtValue()
        }
    }

    @inline(__always)
    private mutating func skipBlanks() {
        while position < end, bytes[position] <= UInt8(ascii: " ") {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    private mutating func readWord(_ word: StaticString, _ kind: JSONWord.Kind) -> Outcome {
        let length = word.utf8CodeUnitCount
        let matches =
            end - position >= length
            && word.withUTF8Buffer { bytes.match(JSONBytes($0), at: position) }
        guard matches else { return invalid(.otherWord(word)) }
        words.append(JSONWord(kind, place: position).bits)
        position += length
        return .value
    }
}

extension JSONScanner {
    @inline(__always)
    private mutating func openContainer(isObject: Bool) -> Outcome {
        guard outer.count < maximumDepth else { return invalid(.tooDeep(maximumDepth)) }
        position += 1
        let index = open(isObject: isObject)
        skipBlanks()
        if position < end, bytes[position] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            position += 1
            return .value
        }
        outer.append(inner)
        inner = Open(index: index, isObject: isObject, firstName: names.count)
        return !isObject || readName() ? .opened : .invalid
    }

    /// Writes the words of a container that is about to be read, and returns their index.
    @inline(__always)
    @discardableResult
    private mutating func open(isObject: Bool) -> Int {
        let index = words.count
        words.append(JSONWord(isObject ? .object : .array, place: index + 2).bits)
        // The cursor of lookups, and the container around this one.
        words.append(UInt64(index + 2) | UInt64(inner.index) << 32)
        return index
    }

    @inline(__always)
    private mutating func close() {
        words[inner.index] =
            JSONWord(inner.isObject ? .object : .array, flags: inner.flags, length: inner.count, place: words.count)
            .bits
        names.removeAll(from: inner.firstName)
        inner = outer.removeLast()
    }

    /// Reads a name and the colon after it.
    @inline(__always)
    private mutating func readName() -> Bool {
        skipBlanks()
        let index = words.count
        guard position < end, bytes[position] == UInt8(ascii: "\"") else { return failAtName() }
        guard readString() else { return false }
        note(JSONWord(words[index]), at: index)
        skipBlanks()
        guard position < end, bytes[position] == UInt8(ascii: ":") else { return fail(.expected("\":\" after a name")) }
        position += 1
        return true
    }

    /// Records a name of the innermost object, and sets the object's flags.
    @inline(__always)
    private mutating func note(_ name: JSONWord, at index: Int) {
        let (start, length) = (name.place, name.length)
        guard inner.flags & JSONWord.needsIndex == 0 else { return }
        guard !name.has(JSONWord.hasEscapes | JSONWord.isNotASCII), length < JSONWord.unknown,
            names.count - inner.firstName < Self.indexedFrom
        else {
            inner.flags |= JSONWord.needsIndex
            return
        }
        if notesCapitals, hasCapital(start, length) { inner.flags |= JSONWord.hasCapital }
        let digest = digest(start, length)
        let bit = UInt64(1) << (digest & 63)
        if inner.seen & bit != 0, isKnown(start, length, digest) { inner.flags |= JSONWord.needsIndex }
        inner.seen |= bit
        names.append(digest << 32 | UInt64(index))
    }

    /// Returns whether the innermost object has a name already.
    private borrowing func isKnown(_ start: Int, _ length: Int, _ digest: UInt64) -> Bool {
        let name = JSONBytes(bytes.buffer(at: start, count: length))
        for other in inner.firstName..<names.count where names[other] >> 32 == digest {
            let word = JSONWord(words[Int(names[other] & 0xFFFF_FFFF)])
            if word.length == length, bytes.match(name, at: word.place) { return true }
        }
        return false
    }

    /// Returns 32 bits that are the same for the same name.
    @inline(__always)
    private borrowing func digest(_ start: Int, _ length: Int) -> UInt64 {
        var mixed = UInt64(length) &* 0x9E37_79B9_7F4A_7C15
        if length >= 8 {
            mixed ^= bytes.eight(at: start) ^ (bytes.eight(at: start + length - 8) &* 31)
        } else if length >= 4 {
            mixed ^= UInt64(bytes.four(at: start)) << 32 | UInt64(bytes.four(at: start + length - 4))
        } else {
            for offset in 0..<length { mixed = mixed << 8 ^ UInt64(bytes[start + offset]) }
        }
        return (mixed &* 0x9E37_79B9_7F4A_7C15) >> 32
    }

    private borrowing func hasCapital(_ start: Int, _ length: Int) -> Bool {
        for offset in 0..<length where bytes[start + offset] &- UInt8(ascii: "A") < 26 { return true }
        return false
    }
}

// The failures are apart, so that the loops stay small.
extension JSONScanner {
    /// Records a problem, at the next byte by default, and returns `false`.
    @inline(never)
    mutating func fail(_ kind: Problem.Kind, at offset: Int? = nil) -> Bool {
        problem = Problem(kind: kind, offset: offset ?? position)
        return false
    }

    private mutating func invalid(_ kind: Problem.Kind) -> Outcome {
        _ = fail(kind)
        return .invalid
    }

    @inline(never)
    private mutating func failAtValue() -> Outcome {
        // A part begins after a comma.
        let followsComma = inner.count > 0 || outer.count == 1 && partLimit < .max
        let endsArray = followsComma && !inner.isObject && bytes[position] == UInt8(ascii: "]")
        return invalid(endsArray ? .broken("an array may not end with a comma") : .expected("a value"))
    }

    @inline(never)
    private mutating func failAfterValue() -> Bool {
        fail(.expected(inner.isObject ? "\",\" or \"}\" after a member" : "\",\" or \"]\" after an element"))
    }

    @inline(never)
    private mutating func failAtName() -> Bool {
        if position < end, bytes[position] == UInt8(ascii: "}") {
            return fail(.broken("an object may not end with a comma"))
        }
        return fail(.expected(inner.count > 0 ? "a name in double quotes" : "a name in double quotes or \"}\""))
    }
}
