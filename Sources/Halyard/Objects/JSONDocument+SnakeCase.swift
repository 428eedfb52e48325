extension JSONDocument {
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

    /// Searches from the last name that was found to the end.
    ///
    /// - Returns: `nil` if the name is not there, or this cannot tell.
    @inline(__always)
    private func findSnakeCase(_ property: JSONBytes, inObjectAt object: Int, _ word: JSONWord) -> Int? {
        let bytes = self.bytes
        var (position, searched) = (cursor(ofObjectAt: object), 0)
        while position < word.place, searched < 24 {
            let name = self[position]
            if name.length >= property.count, bytes.isSnakeCase(of: property, at: name.place, count: name.length) {
                setCursor(position, ofObjectAt: object)
                return position + 1
            }
            position = next(after: position + 1)
            searched += 1
        }
        return nil
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

extension JSONBytes {
    /// Returns whether a name is a property's in snake case, for a property of ASCII letters whose first is small. For
    /// any other property the result may be `false` although it is.
    @inline(__always)
    fileprivate func isSnakeCase(of property: JSONBytes, at start: Int, count: Int) -> Bool {
        var (position, end, followsCapital) = (start, start + count, true)
        for offset in 0..<property.count {
            let letter = property[offset]
            var wanted = letter
            if letter &- UInt8(ascii: "A") < 26 {
                guard offset > 0 else { return false }
                // A word begins at the first of several capitals, and at the last of them if a small letter follows.
                let next = offset + 1 < property.count ? property[offset + 1] : 0
                if !followsCapital || next &- UInt8(ascii: "a") < 26 {
                    guard position < end, self[position] == UInt8(ascii: "_") else { return false }
                    position += 1
                }
                (wanted, followsCapital) = (letter | 0x20, true)
            } else {
                guard letter &- UInt8(ascii: "a") < 26 else { return false }
                followsCapital = false
            }
            guard position < end, self[position] == wanted else { return false }
            position += 1
        }
        return position == end
    }
}
