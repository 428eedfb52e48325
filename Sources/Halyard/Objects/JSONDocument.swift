/// A tape whose values a decoder reads, with the mapper's settings.
///
/// The containers of one decoding share it. Like any decoder, it must not be used by several threads at once.
final class JSONDocument: JSONTape {
    let coding: ObjectCoding
    let types = TypeCache()
    /// The place of the last path in each array: an element's index in the words, and its number.
    private var places: [Int: (index: Int, number: Int)] = [:]
    /// The number of the outermost array's first element, if this is a part of a longer text.
    private let firstNumber: Int
    /// The index of the value at which paths begin.
    var root = 0

    /// Reads the structure of a text.
    convenience init(_ bytes: JSONBytes, _ coding: ObjectCoding) throws(JSONScanner.Problem) {
        let scanner = JSONScanner(bytes, from: bytes.markLength, notesCapitals: coding.isSnakeCase)
        let (words, count) = try scanner.scan()
        self.init(bytes, words: words, count: count, coding)
    }

    /// Makes a document of a text that a scanner has read, and of the scanner's words.
    init(
        _ bytes: JSONBytes, words: UnsafeMutablePointer<UInt64>, count: Int, firstNumber: Int = 0,
        _ coding: ObjectCoding
    ) {
        (self.coding, self.firstNumber) = (coding, firstNumber)
        super.init(bytes, words: words, count: count)
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
        return keys.reversed()
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

/// A step of a path in JSON.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(name: String) { (stringValue, intValue) = (name, nil) }
    init(index: Int) { (stringValue, intValue) = ("Index \(index)", index) }
    init(stringValue: String) { self.init(name: stringValue) }
    init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
}
