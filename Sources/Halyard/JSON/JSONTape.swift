import HalyardFoundation

/// A checked JSON text, from which values are read.
///
/// Its words are in the order of the text. An object's two words are followed by a name and a value for each member, and
/// an array's by its elements. The second word of both has, in its low half, the index of the name that the last lookup
/// found, and in its high half the index of the array or object around it.
///
/// It must not be used by several threads at once.
class JSONTape {
    private final let words: UnsafeMutablePointer<UInt64>
    private final let wordCount: Int
    /// A pointer, so that the bytes can be replaced without a check of exclusive access at each use.
    private final let text: UnsafeMutablePointer<JSONBytes>
    private final var ownBytes: UnsafeMutablePointer<UInt8>?
    /// The members of objects whose names are compared as strings, by the objects' index. Of several members with the
    /// same name, it has the first.
    final var indexes: [Int: [String: Int]] = [:]
    /// The number of values until the next check for cancellation.
    private final var untilCancellationCheck = 0

    /// Makes a tape of a text that a scanner has read, and of the scanner's words. The tape deallocates them.
    init(_ bytes: JSONBytes, words: UnsafeMutablePointer<UInt64>, count: Int) {
        (self.words, wordCount) = (words, count)
        text = .allocate(capacity: 1)
        text.initialize(to: bytes)
    }

    deinit {
        words.deallocate()
        text.deallocate()
        ownBytes?.deallocate()
    }

    @inline(__always)
    final var bytes: JSONBytes { text.pointee }

    /// Copies the bytes, because a decoder outlives the closure in which those of the caller are valid.
    final func keepBytes() {
        let (copy, memory) = bytes.copied()
        text.pointee = copy
        ownBytes = memory
    }

    /// Reads values also in a task that was cancelled.
    final func ignoreCancellation() { untilCancellationCheck = .max }
}

extension JSONTape {
    @inline(__always)
    subscript(index: Int) -> JSONWord {
        assert(index >= 0 && index < wordCount)
        return JSONWord(words[index])
    }

    /// Returns the index of the word after a value.
    @inline(__always)
    func next(after index: Int) -> Int {
        let word = self[index]
        return word.isContainer ? word.place : index + 1
    }

    /// The index of the name that the last lookup in an object found. At first that of the first name.
    @inline(__always)
    func cursor(ofObjectAt index: Int) -> Int {
        assert(index >= 0 && index + 1 < wordCount)
        return Int(words[index + 1] & 0xFFFF_FFFF)
    }

    @inline(__always)
    func setCursor(_ cursor: Int, ofObjectAt index: Int) {
        assert(index >= 0 && index + 1 < wordCount)
        words[index + 1] = words[index + 1] & 0xFFFF_FFFF_0000_0000 | UInt64(cursor)
    }

    /// Returns the index of the container around a container.
    func parent(ofContainerAt index: Int) -> Int {
        assert(index >= 0 && index + 1 < wordCount)
        return Int(words[index + 1] >> 32)
    }

    /// Returns the number of elements or members of a container.
    func count(at index: Int) -> Int {
        let word = self[index]
        guard word.length == JSONWord.unknown else { return word.length }
        var (count, position) = (0, index + 2)
        while position < word.place {
            if word.isKind(.object) { position += 1 }
            position = next(after: position)
            count += 1
        }
        return count
    }

    /// Returns the length of a string's or number's text in bytes.
    @inline(__always)
    func length(of word: JSONWord) -> Int {
        word.length == JSONWord.unknown ? longLength(of: word) : word.length
    }

    @inline(never)
    private func longLength(of word: JSONWord) -> Int {
        let (bytes, start) = (self.bytes, word.place)
        var position = start
        while position < bytes.count {
            let byte = bytes[position]
            if word.isKind(.string) {
                if byte == UInt8(ascii: "\"") { break }
                position += byte == UInt8(ascii: "\\") ? 2 : 1
            } else {
                guard byte.isDigit || "+-.eE".utf8.contains(byte) else { break }
                position += 1
            }
        }
        return position - start
    }

    /// Ends a long decoding of a task that was cancelled.
    @inline(__always)
    func checkCancellation() throws {
        untilCancellationCheck &-= 1
        guard untilCancellationCheck < 0 else { return }
        untilCancellationCheck = 1024
        if Task.isCancelled { throw CancellationError() }
    }
}

extension JSONTape {
    /// Reads a value with the order and number of its members, and all digits of its numbers.
    ///
    /// - Throws: `CancellationError` if the task was cancelled.
    func json(at index: Int) throws -> JSON {
        let word = self[index]
        try checkCancellation()
        switch JSONWord.Kind(rawValue: word.kind) {
        case .yes: return true
        case .no: return false
        case .number: return .number(JSON.Number(checked: text(ofNumber: word)))
        case .string: return .string(string(of: word))
        case .array:
            var (elements, position): ([JSON], Int) = ([], index + 2)
            elements.reserveCapacity(word.length)
            while position < word.place {
                elements.append(try json(at: position))
                position = next(after: position)
            }
            return .array(elements)
        case .object:
            var (members, position): ([JSON.Object.Element], Int) = ([], index + 2)
            members.reserveCapacity(word.length)
            while position < word.place {
                members.append((string(of: self[position]), try json(at: position + 1)))
                position = next(after: position + 1)
            }
            return .object(JSON.Object(members))
        case .null, nil: return .null
        }
    }
}
