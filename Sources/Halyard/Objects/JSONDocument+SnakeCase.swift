extension JSONDocument {
    /// Returns the index of the value with a key, or `missing`.
    @inline(__always)
    func value(of key: some CodingKey, inObjectAt object: Int) -> Int {
        coding.isSnakeCase
            ? snakeCaseValue(of: key, inObjectAt: object) : value(named: key.stringValue, inObjectAt: object)
    }

    /// Returns the index of the value of a property, by the rules of ``ObjectMapper/KeyStyle/snakeCase``: the name as in
    /// the type, else as it is written, else as it may be read.
    func snakeCaseValue<Key: CodingKey>(of key: Key, inObjectAt object: Int) -> Int {
        let (word, property) = (self[object], key.stringValue)
        // The name as in the type cannot be in an object without capitals, if it has one itself.
        if !word.has(JSONWord.needsIndex | JSONWord.hasCapital), types.kind(of: Key.self) != .verbatim,
            let found = property.utf8.withContiguousStorageIfAvailable({
                findSnakeCase(JSONBytes($0), inObjectAt: object, word)
            }), let found
        {
            return found
        }
        let exact = value(named: property, inObjectAt: object)
        if exact >= 0 || types.kind(of: Key.self) == .verbatim { return exact }
        let written = value(named: SnakeCase.name(of: property), inObjectAt: object)
        return written >= 0 ? written : readableValue(of: property, inObjectAt: object)
    }

    /// Searches an object whose names are all in ASCII, different, and without escapes and capitals. The search begins at
    /// the last name that was found.
    ///
    /// - Returns: The index of the value. `missing` if there is none. `nil` if the slow search must tell.
    @inline(__always)
    private func findSnakeCase(_ property: JSONBytes, inObjectAt object: Int, _ word: JSONWord) -> Int? {
        // A property without capitals has the same name in snake case. Whole words of such a name are compared.
        if !property.hasCapital, let found = find(property, inObjectAt: object, word), found >= 0 { return found }
        let bytes = self.bytes
        let (start, first) = (cursor(ofObjectAt: object), object + 2)
        var (position, end, searched) = (start, word.place, 0)
        while true {
            if position >= end {
                guard end > start, start > first else { return Self.missing }
                (position, end) = (first, start)
            }
            let name = self[position]
            switch bytes.likeness(to: property, at: name.place, count: name.length) {
            case .none: break
            case .same:
                setCursor(position, ofObjectAt: object)
                return position + 1
            case .similar: return nil
            }
            position = next(after: position + 1)
            searched += 1
            if searched > 24 { return nil }
        }
    }

    /// Returns the index of the value whose name Foundation's `convertFromSnakeCase` makes the property's.
    @inline(never)
    private func readableValue(of property: String, inObjectAt object: Int) -> Int {
        var position = object + 2
        while position < self[object].place {
            let name = string(of: self[position])
            if SnakeCase.isLike(name, property), SnakeCase.property(of: name) == property { return position + 1 }
            position = next(after: position + 1)
        }
        return Self.missing
    }

    /// Returns the keys of an object. The first of several members with the same name counts.
    func keys<Key: CodingKey>(ofObjectAt object: Int) -> [Key] {
        let word = self[object]
        var (keys, seen): ([Key], Set<String>) = ([], [])
        var position = object + 2
        while position < word.place {
            let name = string(of: self[position])
            position = next(after: position + 1)
            if word.has(JSONWord.needsIndex), !seen.insert(name).inserted { continue }
            if let key = Key(stringValue: name) {
                keys.append(key)
            } else if coding.isSnakeCase, let key = Key(stringValue: SnakeCase.property(of: name)) {
                keys.append(key)
            }
        }
        return keys
    }
}

/// How a name in JSON corresponds to that of a property.
private enum Likeness {
    /// It is another name.
    case none
    /// It is the property's name in snake case.
    case same
    /// Its letters may be the property's, with underscores in other places.
    case similar
}

extension JSONBytes {
    @inline(__always)
    fileprivate var hasCapital: Bool {
        for offset in 0..<count where self[offset] &- UInt8(ascii: "A") < 26 { return true }
        return false
    }

    /// Compares a name without capitals with a property's name.
    @inline(__always)
    fileprivate func likeness(to property: JSONBytes, at start: Int, count: Int) -> Likeness {
        var (position, isSame, followsCapital) = (start, true, false)
        let end = start + count
        for offset in 0..<property.count {
            let letter = property[offset]
            guard letter < 0x80, letter != UInt8(ascii: "_") else { return .similar }
            var byte = position < end ? self[position] : 0
            var expected = letter
            if letter.isSmallLetter {
                followsCapital = false
            } else {
                let isCapital = letter &- UInt8(ascii: "A") < 26
                // A word begins at a capital, and at the last character before a small letter if capitals precede it.
                let beginsWord =
                    followsCapital
                    ? offset + 1 < property.count && property[offset + 1].isSmallLetter : isCapital && offset > 0
                if beginsWord {
                    if byte == UInt8(ascii: "_") {
                        position += 1
                        byte = position < end ? self[position] : 0
                    } else {
                        isSame = false
                    }
                }
                if isCapital { (expected, followsCapital) = (letter | 0x20, offset > 0) }
            }
            while byte == UInt8(ascii: "_") {
                isSame = false
                position += 1
                byte = position < end ? self[position] : 0
            }
            guard byte == expected else { return .none }
            position += 1
        }
        if position == end { return isSame ? .same : .similar }
        while position < end, self[position] == UInt8(ascii: "_") { position += 1 }
        return position == end ? .similar : .none
    }
}

extension UInt8 {
    @inline(__always)
    fileprivate var isSmallLetter: Bool { self &- UInt8(ascii: "a") < 26 }
}
