/// A coding key that is never converted, because a model declares it as it is in the JSON.
package protocol VerbatimKey: CodingKey {}

/// Conversions between property names and snake case. They have no side effects.
enum SnakeCase {
    /// Returns `user_name` for `userName` and `my_url_path` for `myURLPath`, like Foundation's `convertToSnakeCase`.
    static func name(of property: String) -> String {
        let letters = Array(property.unicodeScalars)
        var name = ""
        name.reserveCapacity(property.utf8.count + 8)
        var next = 0
        for start in wordStarts(in: letters) + [letters.count] {
            if next > 0 { name += "_" }
            for letter in letters[next..<start] { name.append(lowercased: letter) }
            next = start
        }
        return name
    }

    /// Returns the indices at which words begin, but for the first.
    private static func wordStarts(in letters: [Unicode.Scalar]) -> [Int] {
        var (starts, searched): ([Int], Int) = ([], 1)
        while searched < letters.count, let capital = letters[searched...].firstIndex(where: \.isCapital) {
            starts.append(capital)
            guard let lower = letters[capital...].firstIndex(where: \.isLower) else { break }
            // The last of several capitals begins the next word.
            if lower > capital + 1 { starts.append(lower - 1) }
            searched = lower + 1
        }
        return starts
    }

    /// Writes the same for a name in ASCII, to memory for twice as many bytes. Returns the length. `nil` for another
    /// name, and for one with an underscore.
    static func write(_ property: UnsafeBufferPointer<UInt8>, to room: UnsafeMutablePointer<UInt8>) -> Int? {
        var (length, followsCapital) = (0, false)
        for index in property.indices {
            let letter = property[index]
            guard letter < 0x80, letter != UInt8(ascii: "_") else { return nil }
            let isCapital = letter &- UInt8(ascii: "A") < 26
            if letter.isSmall {
                followsCapital = false
            } else if followsCapital
                ? index + 1 < property.count && property[index + 1].isSmall : isCapital && index > 0
            {
                room[length] = UInt8(ascii: "_")
                length += 1
            }
            room[length] = isCapital ? letter | 0x20 : letter
            length += 1
            if isCapital { followsCapital = index > 0 }
        }
        return length
    }

    /// Returns whether a name may be that of a property. This excludes most names quickly.
    static func isLike(_ name: some Sequence<UInt8>, _ property: some Sequence<UInt8>) -> Bool {
        var letters = name.makeIterator()
        for letter in property where letter != UInt8(ascii: "_") {
            var other = letters.next()
            while other == UInt8(ascii: "_") { other = letters.next() }
            // ASCII letters match in either case. Any other letter is assumed to match.
            guard let other, (letter ^ other) & ~0x20 == 0 || letter | other > 0x7F else { return false }
        }
        return true
    }

    /// Returns `addressLine1` for `address_line_1`, like Foundation's `convertFromSnakeCase`.
    static func property(of name: String) -> String {
        let words = name.split(separator: "_")
        guard words.count > 1 else { return name }
        let (leading, trailing) = (name.prefix { $0 == "_" }, name.reversed().prefix { $0 == "_" })
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return leading + words[0].lowercased() + rest.joined() + String(trailing)
    }
}

extension UInt8 {
    @inline(__always)
    fileprivate var isSmall: Bool { self &- UInt8(ascii: "a") < 26 }
}

extension Unicode.Scalar {
    fileprivate var isCapital: Bool { isASCII ? (0x41...0x5A).contains(value) : properties.isUppercase }
    fileprivate var isLower: Bool { isASCII ? (0x61...0x7A).contains(value) : properties.isLowercase }
}

extension String {
    fileprivate mutating func append(lowercased letter: Unicode.Scalar) {
        if letter.isASCII {
            unicodeScalars.append(letter.isCapital ? Unicode.Scalar(UInt8(letter.value) | 0x20) : letter)
        } else {
            self += letter.properties.lowercaseMapping
        }
    }
}
