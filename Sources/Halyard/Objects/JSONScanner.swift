/// Checks a JSON text (RFC 8259) and writes its structure: a `JSONWord` for each name and value, in the order of the
/// text. Strings and numbers are checked here and read later.
///
/// It accepts exactly what `JSONReader` accepts, and only says whether a text is JSON. `JSONReader` says why one is not.
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
    /// The number of words after which ``scanPart()`` ends before the next element.
    private let partLimit: Int

    static let maximumDepth = 512
    /// Texts up to this length fit the words.
    static let maximumLength = Int(UInt32.max)
    /// The number of names from which an object has an index.
    private static let indexedFrom = 128

    /// Makes a scanner.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - start: The position to start at.
    ///   - notesCapitals: Whether objects whose names have capital letters are marked.
    ///   - partLimit: The number of words after which ``scanPart()`` ends.
    init(_ bytes: JSONBytes, from start: Int = 0, notesCapitals: Bool, partLimit: Int = .max) {
        self.bytes = bytes
        self.notesCapitals = notesCapitals
        self.partLimit = partLimit
        end = bytes.count
        position = start
        // Compact JSON has a word for about eight bytes. A part ends after the limit.
        words = WordBuffer(capacity: (partLimit < end / 8 ? partLimit / 8 * 9 : end / 8) + 16)
        outer.reserveCapacity(16)
    }

    /// Reads a whole text.
    ///
    /// - Returns: The words, which the caller deallocates. `nil` if the text is not JSON.
    consuming func scan() -> (words: UnsafeMutablePointer<UInt64>, count: Int)? {
        guard readText() else { return nil }
        return words.release()
    }

    /// Reads elements of an array, in a text that starts with one of them, until there are as many words as the limit.
    /// The words are those of an array with these elements only.
    ///
    /// - Returns: The words, which the caller deallocates, and the number of bytes that were read. `nil` if the text is
    ///   not JSON. `hasMore` says whether another element must follow.
    consuming func scanPart() -> (words: UnsafeMutablePointer<UInt64>, count: Int, length: Int, hasMore: Bool)? {
        open(isObject: false)
        outer.append(inner)
        inner = Open(index: 0, isObject: false)
        guard readText() else { return nil }
        let (length, hasMore) = (position, !outer.isEmpty)
        if hasMore { close() }
        let (words, count) = words.release()
        return (words, count, length, hasMore)
    }

    private mutating func readText() -> Bool {
        while true {
            switch readValue() {
            case .invalid: return false
            case .opened: continue
            case .value: break
            }
            // After a value: what follows it in its array or object, or the end of these.
            while true {
                skipBlanks()
                guard !outer.isEmpty else { return position == end }
                guard position < end else { return false }
                inner.count += 1
                let byte = bytes[position]
                position += 1
                if byte == UInt8(ascii: ",") {
                    if inner.isObject, !readName() { return false }
                    if words.count >= partLimit, outer.count == 1 { return true }
                    break
                }
                guard byte == (inner.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { return false }
                close()
            }
        }
    }

    private enum Outcome { case value, opened, invalid }

    @inline(__always)
    private mutating func readValue() -> Outcome {
        skipBlanks()
        guard position < end else { return .invalid }
        switch bytes[position] {
        case UInt8(ascii: "\""): return readString() ? .value : .invalid
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return readNumber() ? .value : .invalid
        case UInt8(ascii: "{"): return openContainer(isObject: true)
        case UInt8(ascii: "["): return openContainer(isObject: false)
        case UInt8(ascii: "t"): return readWord("true", .yes)
        case UInt8(ascii: "f"): return readWord("false", .no)
        case UInt8(ascii: "n"): return readWord("null", .null)
        default: return .invalid
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
        guard matches else { return .invalid }
        words.append(JSONWord(kind, place: position).bits)
        position += length
        return .value
    }
}

extension JSONScanner {
    @inline(__always)
    private mutating func openContainer(isObject: Bool) -> Outcome {
        guard outer.count < Self.maximumDepth else { return .invalid }
        position += 1
        let index = open(isObject: isObject)
        skipBlanks()
        guard position < end else { return .invalid }
        if bytes[position] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
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
        names.removeLast(names.count - inner.firstName)
        inner = outer.removeLast()
    }

    /// Reads a name and the colon after it.
    @inline(__always)
    private mutating func readName() -> Bool {
        skipBlanks()
        let index = words.count
        guard position < end, bytes[position] == UInt8(ascii: "\""), readString() else { return false }
        note(JSONWord(words[index]), at: index)
        skipBlanks()
        guard position < end, bytes[position] == UInt8(ascii: ":") else { return false }
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
