/// Reads a long text whose outermost value is an array, a part at a time.
///
/// The words of a text take about as much memory as the text. Those of a part are freed when its elements have been read,
/// so that a long list takes the memory of its text and its elements only.
struct JSONParts {
    private let coding: ObjectCoding
    /// The text from the next part on.
    private var rest: JSONBytes
    /// The length of the whole text, in bytes.
    private let length: Int
    private var hasMore = true
    /// The number of elements in the parts so far.
    private(set) var count = 0
    private let limit: Int

    /// The length in bytes from which a text is read in parts.
    static let minimumLength = 1 << 20
    /// The number of words of a part. They fit a processor's second cache.
    static let limit = 1 << 15

    /// Finds the array. `nil` if the text does not start with one that has elements.
    init?(_ bytes: JSONBytes, _ coding: ObjectCoding, limit: Int) {
        var position = bytes.markLength
        func skipBlanks() { while position < bytes.count, " \n\r\t".utf8.contains(bytes[position]) { position += 1 } }
        skipBlanks()
        guard position < bytes.count, bytes[position] == UInt8(ascii: "[") else { return nil }
        position += 1
        skipBlanks()
        guard position < bytes.count, bytes[position] != UInt8(ascii: "]") else { return nil }
        (self.coding, self.limit, rest, length) = (coding, limit, bytes.suffix(from: position), bytes.count)
    }

    /// Returns the number of elements of the whole array, if the rest is like the parts so far. Their memory is at most
    /// that of the text, because a server may send a small first part, or elements that do not fit the type.
    func expectedCount(stride: Int) -> Int {
        min(count * (length / max(length - rest.count, 1) + 1), length / max(stride, 1))
    }

    /// Returns a document with an array of the next elements; `nil` at the end. A problem has its position in the whole
    /// text.
    mutating func next() throws(JSONScanner.Problem) -> JSONDocument? {
        guard hasMore else { return nil }
        let scanner = JSONScanner(rest, notesCapitals: coding.isSnakeCase, partLimit: limit)
        let part: (words: UnsafeMutablePointer<UInt64>, count: Int, length: Int, hasMore: Bool)
        do { part = try scanner.scanPart() } catch {
            throw JSONScanner.Problem(kind: error.kind, offset: length - rest.count + error.offset)
        }
        let bytes = rest.prefix(part.length)
        let document = JSONDocument(bytes, words: part.words, count: part.count, firstNumber: count, coding)
        (hasMore, rest) = (part.hasMore, rest.suffix(from: part.length))
        count += document.count(at: 0)
        return document
    }
}

/// An array, which can be read from the parts of a text.
protocol JSONList {
    static func read(from parts: JSONParts) throws -> Self
}

extension Array: JSONList where Element: Decodable {
    static func read(from parts: JSONParts) throws -> [Element] {
        var (parts, elements, hasReserved): (JSONParts, [Element], Bool) = (parts, [], false)
        while var document = try parts.next() {
            // A value may have kept its decoder, which then needs bytes of its own.
            defer { if !isKnownUniquelyReferenced(&document) { document.keepBytes() } }
            if !elements.isEmpty && !hasReserved {
                hasReserved = true
                elements.reserveCapacity(parts.expectedCount(stride: MemoryLayout<Element>.stride))
            }
            do {
                if case .own = document.types.kind(of: Element.self) {
                    try document.readElements(ofArrayAt: 0) {
                        elements.append(try Element(from: JSONValueDecoder(document, $0, 0)))
                    }
                } else {
                    elements += try read(from: document, at: 0, in: JSONWord.noParent)
                }
            } catch let error where !(error is CancellationError) {
                // If the text is not JSON, that is the error, even if it is found later.
                while try parts.next() != nil {}
                throw error
            }
        }
        return elements
    }
}
