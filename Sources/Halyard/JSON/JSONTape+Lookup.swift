extension JSONTape {
    /// The result of a search for a name that is not there.
    @inline(__always)
    static var missing: Int { -1 }

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

    /// Searches an object whose names are all in ASCII, different, and without escapes. The search begins at the last
    /// name that was found, because members are mostly read in the order in which they are written.
    ///
    /// - Returns: The index of the value. `missing` if there is none. `nil` if the names must be compared as strings.
    @inline(__always)
    func find(_ name: JSONBytes, inObjectAt object: Int, _ word: JSONWord) -> Int? {
        let bytes = self.bytes
        // The low half of the word of such a name: no flags, and its length.
        let wanted = JSONWord(.string, length: name.count, place: 0).bits
        let (start, first) = (cursor(ofObjectAt: object), object + 2)
        var (position, end, searched) = (start, word.place, 0)
        while true {
            if position >= end {
                // After the last name the search continues at the first one.
                guard end > start, start > first else { break }
                (position, end) = (first, start)
            }
            let word = self[position]
            if word.bits & 0xFFFF_FFFF == wanted, bytes.match(name, at: word.place) {
                setCursor(position, ofObjectAt: object)
                return position + 1
            }
            position = next(after: position + 1)
            searched += 1
            if searched > 24 { return nil }
        }
        // A name with characters outside ASCII may be equal to one in ASCII: the Kelvin sign is a K.
        for offset in 0..<name.count where name[offset] >= 0x80 { return nil }
        return Self.missing
    }
}

extension JSONTape {
    /// Returns the members of an object by name. It is made once, by the first lookup that needs it.
    func members(ofObjectAt index: Int) -> [String: Int] {
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
