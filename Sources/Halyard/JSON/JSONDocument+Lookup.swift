extension JSONDocument {
    /// The result of a search for a name that is not there.
    @inline(__always)
    static var missing: Int { -1 }

    /// Returns the index of the value with a key, or `missing`.
    @inline(__always)
    func value(of key: some CodingKey, inObjectAt object: Int) -> Int {
        coding.isSnakeCase
            ? snakeCaseValue(of: key, inObjectAt: object) : value(named: key.stringValue, inObjectAt: object)
    }

    /// Returns the index of the value with a name, or `missing`.
    @inline(__always)
    func value(named name: String, inObjectAt object: Int) -> Int {
        let word = self[object]
        guard !word.has(JSONWord.needsIndex) else { return members(ofObjectAt: object)[name] ?? Self.missing }
        let found: Int?? = name.utf8.withContiguousStorageIfAvailable {
            find(JSONBytes($0), inObjectAt: object, word)
        }
        if let found, let found { return found }
        return members(ofObjectAt: object)[name] ?? Self.missing
    }

    /// Searches an object whose names are all in ASCII, different, and without escapes. Returns the index of the value.
    /// `missing` if there is none. `nil` if the names must be compared as strings.
    @inline(__always)
    private func find(_ name: JSONBytes, inObjectAt object: Int, _ word: JSONWord) -> Int? {
        let bytes = self.bytes
        // The low half of the word of such a name: no flags, and its length.
        let wanted = JSONWord(.string, length: name.count, place: 0).bits
        let found = search(object, word) {
            $0.bits & 0xFFFF_FFFF == wanted && bytes.match(name, at: $0.place)
        }
        guard found == Self.missing else { return found }
        // A name with characters outside ASCII may be equal to one in ASCII: the Kelvin sign is a K.
        for offset in 0..<name.count where name[offset] >= 0x80 { return nil }
        return found
    }

    /// Searches the names of an object from the last one that was found, because members are mostly read in the order
    /// in which they are written. Returns the index of the value. `missing` if there is none. `nil` if a slower search
    /// must tell.
    @inline(__always)
    private func search(_ object: Int, _ word: JSONWord, _ isWanted: (JSONWord) -> Bool) -> Int? {
        let (start, first) = (cursor(ofObjectAt: object), object + 2)
        var (position, end, searched) = (start, word.place, 0)
        while true {
            if position >= end {
                // After the last name the search continues at the first one.
                guard end > start, start > first else { return Self.missing }
                (position, end) = (first, start)
            }
            if isWanted(self[position]) {
                setCursor(position, ofObjectAt: object)
                return position + 1
            }
            position = next(after: position + 1)
            searched += 1
            if searched > 24 { return nil }
        }
    }

    /// Returns the members of an object by name. It is made once, by the first lookup that needs it.
    private func members(ofObjectAt index: Int) -> [String: Int] {
        if let known = indexes[index] { return known }
        var members: [String: Int] = Dictionary(minimumCapacity: count(at: index))
        var position = index + 2
        while position < self[index].place {
            let name = string(of: self[position])
            if members[name] == nil { members[name] = position + 1 }
            position = next(after: position + 1)
        }
        indexes[index] = members
        return members
    }
}

extension JSONDocument {
    /// Returns the index of the value of a property, by the rules of ``ObjectMapper/KeyStyle/snakeCase``: the name as
    /// in the type, else as it is written, else as it may be read.
    func snakeCaseValue<Key: CodingKey>(of key: Key, inObjectAt object: Int) -> Int {
        let (word, property) = (self[object], key.stringValue)
        // The name as in the type cannot be in an object without capitals, if it has one itself.
        if !word.has(JSONWord.needsIndex | JSONWord.hasCapital), !types.isVerbatim(Key.self),
            let found = property.utf8.withContiguousStorageIfAvailable({
                findSnakeCase($0, inObjectAt: object, word)
            }), let found
        {
            return found
        }
        let exact = value(named: property, inObjectAt: object)
        if exact >= 0 || types.isVerbatim(Key.self) { return exact }
        let written = value(named: SnakeCase.name(of: property), inObjectAt: object)
        return written >= 0 ? written : readableValue(of: property, inObjectAt: object)
    }

    /// Searches an object whose names are all in ASCII, different, and without escapes and capitals. Returns the index
    /// of the value. `missing` if there is none. `nil` if the slow search must tell.
    @inline(__always)
    private func findSnakeCase(
        _ property: UnsafeBufferPointer<UInt8>, inObjectAt object: Int, _ word: JSONWord
    ) -> Int? {
        // A property without capitals has the same name in snake case.
        let found =
            property.contains { $0 &- UInt8(ascii: "A") < 26 }
            ? withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * property.count) { room -> Int? in
                guard let start = room.baseAddress, let length = SnakeCase.write(property, to: start) else {
                    return nil
                }
                return find(JSONBytes(UnsafeBufferPointer(start: start, count: length)), inObjectAt: object, word)
            } : find(JSONBytes(property), inObjectAt: object, word)
        guard found == Self.missing else { return found }
        var position = object + 2
        while position < word.place {
            let name = self[position]
            let letters = bytes.buffer(at: name.place, count: name.length)
            if SnakeCase.isLike(letters, property) { return nil }
            position = next(after: position + 1)
        }
        return Self.missing
    }

    /// Returns the index of the value whose name Foundation's `convertFromSnakeCase` makes the property's.
    @inline(never)
    private func readableValue(of property: String, inObjectAt object: Int) -> Int {
        var position = object + 2
        while position < self[object].place {
            let name = string(of: self[position])
            if SnakeCase.isLike(name.utf8, property.utf8), SnakeCase.property(of: name) == property {
                return position + 1
            }
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

extension JSONPath {
    /// Returns the index of the value at this path, and that of the container around it.
    func place(in document: JSONDocument) throws(Missing) -> (index: Int, parent: Int) {
        var (index, parent) = (0, JSONWord.noParent)
        for (number, step) in steps.enumerated() {
            var next = JSONDocument.missing
            if document[index].isKind(.object) {
                next = document.value(named: step.name, inObjectAt: index)
            } else if document[index].isKind(.array), let rest = step.position(inArrayOf: document.count(at: index)) {
                next = (0..<rest).reduce(index + 2) { element, _ in document.next(after: element) }
            }
            guard next != JSONDocument.missing else { throw Missing(self, count: number + 1) }
            (index, parent) = (next, index)
        }
        return (index, parent)
    }
}
