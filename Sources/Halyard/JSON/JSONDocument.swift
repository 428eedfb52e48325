import HalyardFoundation

/// A checked JSON text, from which values are read, with the mapper's settings.
///
/// Its words are in the order of the text. An object's two words are followed by a name and a value for each member, and
/// an array's by its elements. The second word of both has, in its low half, the index of the name that the last lookup
/// found, and in its high half the index of the array or object around it.
///
/// The containers of one decoding share it. Like any decoder, it must not be used by several threads at once.
final class JSONDocument {
    let coding: ObjectCoding
    let types = TypeCache(readers)
    private let words: UnsafeMutablePointer<UInt64>
    private let wordCount: Int
    /// They are replaced by ``keepBytes()`` only, while nothing reads them, so that no use needs a check of exclusive
    /// access.
    @exclusivity(unchecked) private(set) var bytes: JSONBytes
    private var ownBytes: UnsafeMutablePointer<UInt8>?
    /// The members of objects whose names are compared as strings, by the objects' index. Of several members with the
    /// same name, it has the first.
    var indexes: [Int: [String: Int]] = [:]
    /// The place of the last path in each array: an element's index in the words, and its number.
    private var places: [Int: (index: Int, number: Int)] = [:]
    /// The number of the outermost array's first element, if this is a part of a longer text.
    private let firstNumber: Int
    /// The index of the value at which paths begin.
    var root = 0
    /// The path of a document of `null`, in place of a value that is missing in another one.
    private var outerPath: [any CodingKey] = []
    /// The number of values until the next check for cancellation.
    @exclusivity(unchecked) private var untilCancellationCheck = 0

    private static let readers = TypeCache<any JSONReadable.Type>.Known([:])

    /// Reads the structure of a text.
    convenience init(
        _ bytes: JSONBytes, _ coding: ObjectCoding, maximumDepth: Int = JSONScanner.maximumDepth
    ) throws(JSONScanner.Problem) {
        let scanner = JSONScanner(
            bytes, from: bytes.markLength, notesCapitals: coding.isSnakeCase, maximumDepth: maximumDepth)
        let (words, count) = try scanner.scan()
        self.init(bytes, words: words, count: count, coding)
    }

    /// Makes the document of `null` for a value that is missing at a path of another one.
    convenience init(null coding: ObjectCoding, at path: [any CodingKey]) throws {
        let null: StaticString = "null"
        // The bytes of a static string are valid for as long as the program runs.
        try self.init(null.withUTF8Buffer { JSONBytes($0) }, coding)
        outerPath = path
    }

    /// Makes a document of a text that a scanner has read, and of the scanner's words, which the document deallocates.
    init(
        _ bytes: JSONBytes, words: UnsafeMutablePointer<UInt64>, count: Int, firstNumber: Int = 0,
        _ coding: ObjectCoding
    ) {
        (self.bytes, self.words, wordCount) = (bytes, words, count)
        (self.firstNumber, self.coding) = (firstNumber, coding)
    }

    deinit {
        words.deallocate()
        ownBytes?.deallocate()
    }

    /// Copies the bytes, because a decoder outlives the closure in which those of the caller are valid.
    func keepBytes() {
        (bytes, ownBytes) = bytes.copied()
    }

    /// Reads values also in a task that was cancelled.
    func ignoreCancellation() { untilCancellationCheck = .max }
}

extension JSONDocument {
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

extension JSONDocument {
    /// Returns the path of a value, from the `root`.
    func path(of index: Int, in parent: Int) -> [any CodingKey] {
        var (keys, index, parent): ([any CodingKey], Int, Int) = ([], index, parent)
        while parent != JSONWord.noParent, index != root {
            if self[parent].isKind(.object) {
                keys.append(PathKey(name: string(of: self[index - 1])))
            } else {
                keys.append(PathKey(index: number(ofElementAt: index, in: parent)))
            }
            (index, parent) = (parent, self.parent(ofContainerAt: parent))
        }
        return outerPath + keys.reversed()
    }

    /// Returns the number of an element, from 0. Elements that are asked for in order are counted once.
    private func number(ofElementAt index: Int, in array: Int) -> Int {
        var (position, number) = (array + 2, 0)
        if let place = places[array], place.index <= index { (position, number) = place }
        while position < index {
            position = next(after: position)
            number += 1
        }
        places[array] = (position, number)
        return array == 0 ? firstNumber + number : number
    }
}

/// A type that is read from a document without a decoder.
protocol JSONReadable: Decodable, SendableMetatype {
    /// Reads the value at an index, in the container at another one. A `DecodingError` has its path.
    static func read(from document: JSONDocument, at index: Int, in parent: Int) throws -> Self

    /// Reads the elements of an array. The default is compiled for each type, so that long arrays are read fast.
    static func readElements(from document: JSONDocument, ofArrayAt index: Int) throws -> [Self]
}

/// A step of a path in JSON.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    /// The key of a superclass's members.
    static let superclass = PathKey(name: "super")

    init(name: String) { (stringValue, intValue) = (name, nil) }
    init(index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
    init(stringValue: String) { self.init(name: stringValue) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}
