extension ObjectEncoding {
    /// Writes the name of a member of the innermost object. Its value follows.
    @inline(__always)
    func beginMember(_ key: some CodingKey) {
        let name = key.stringValue
        let isConverted = coding.isSnakeCase && !types.isVerbatim(type(of: key))
        beginMember(named: name, isConverted: isConverted)
    }

    @inline(__always)
    func beginMember(named name: String, isConverted: Bool = false) {
        let top = frames.count - 1
        if frames[top].count > 0 { bytes.append(UInt8(ascii: ",")) }
        frames[top].count += 1
        let start = bytes.count
        if !isConverted {
            if bytes.appendQuoted(name) { frames[top].hasEscapedName = true }
        } else if !bytes.appendSnakeCase(name), bytes.appendQuoted(SnakeCase.name(of: name)) {
            frames[top].hasEscapedName = true
        }
        let nameEnd = bytes.count - 1
        bytes.append(UInt8(ascii: ":"))
        members.append(
            Member(start: start, nameEnd: nameEnd, prefix: bytes.prefix(start + 1..<nameEnd), end: 0))
    }

    @inline(__always)
    func endMember() { members[members.count - 1].end = bytes.count }

    /// Writes what separates an element of the innermost array from the one before.
    @inline(__always)
    func beginElement() {
        if frames[frames.count - 1].count > 0 { bytes.append(UInt8(ascii: ",")) }
    }

    @inline(__always)
    func endElement() { frames[frames.count - 1].count += 1 }

    func name(of member: Member, isEscaped: Bool) -> String {
        let (text, start, count) = (bytes.bytes, member.start + 1, member.nameEnd - member.start - 1)
        guard isEscaped else { return text.string(at: start, count: count) }
        let quoted = JSONBytes(text.buffer(at: member.start, count: count + 2))
        let name = (try? JSONDocument(quoted, coding)).map { $0.string(of: $0[0]) }
        return name ?? text.string(at: start, count: count)
    }
}

extension ObjectEncoding {
    /// Sorts the members of an object by their names, byte by byte. The last of several with the same name stays.
    @inline(__always)
    func sortMembers(of frame: Frame) {
        let (first, count) = (frame.firstMember, members.count - frame.firstMember)
        guard !frame.hasEscapedName else { return sortEscapedMembers(from: first) }
        if isSorted(first, count) { return }
        if !isSortedByOrder(first, count) {
            remember(order(count) { precedes(first + $0, first + $1) }, count)
        }
        arrange(from: first, orders[count])
    }

    @inline(never)
    private func sortEscapedMembers(from first: Int) {
        let names = members[first...].map { Array(name(of: $0, isEscaped: true).utf8) }
        arrange(from: first, order(names.count) { names[$0].lexicographicallyPrecedes(names[$1]) })
    }

    /// Returns the numbers of members in their order, without those that a later one of the same name replaces.
    private func order(_ count: Int, _ precedes: (Int, Int) -> Bool) -> [Int] {
        let sorted = (0..<count).sorted { precedes($0, $1) || !precedes($1, $0) && $0 < $1 }
        return sorted.indices
            .filter { $0 == count - 1 || precedes(sorted[$0], sorted[$0 + 1]) }
            .map { sorted[$0] }
    }

    private func remember(_ order: [Int], _ count: Int) {
        while orders.count <= count { orders.append([]) }
        orders[count] = order
    }

    private func arrange(from first: Int, _ order: [Int]) {
        let (start, end) = (members[first].start, bytes.count)
        for (number, index) in order.enumerated() {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            let (from, to) = (members[first + index].start, members[first + index].end)
            bytes.appendOwn(from: from, count: to - from)
        }
        bytes.moveEnd(from: end, to: start)
    }

    /// Inserts the bytes of nested containers and superclasses into the innermost value, which ends.
    func insertChildren(of frame: Frame) throws {
        let own = Array(children[frame.firstChild...])
        children.removeLast(own.count)
        guard let first = own.first else { return }
        let end = bytes.count
        var (position, inserted): (Int, [(position: Int, length: Int)]) = (first.position, [])
        for child in own {
            bytes.appendOwn(from: position, count: child.position - position)
            try child.encoding.finish()
            bytes.append(child.encoding.bytes)
            inserted.append((child.position, child.encoding.bytes.count))
            position = child.position
        }
        bytes.appendOwn(from: position, count: end - position)
        bytes.moveEnd(from: end, to: first.position)
        for index in frame.firstMember..<members.count {
            let member = members[index]
            let shift = inserted.prefix { $0.position < member.start }.reduce(0) { $0 + $1.length }
            let endShift = inserted.prefix { $0.position <= member.end }.reduce(0) { $0 + $1.length }
            members[index] = Member(
                start: member.start + shift, nameEnd: member.nameEnd + shift, prefix: member.prefix,
                end: member.end + endShift)
        }
    }
}

extension ObjectEncoding {
    /// Whether one member's name comes before another's.
    @inline(__always)
    private func precedes(_ one: Int, _ other: Int) -> Bool {
        let (prefix, otherPrefix) = (members[one].prefix, members[other].prefix)
        return prefix == otherPrefix ? precedesInRest(one, other) : prefix < otherPrefix
    }

    @inline(never)
    private func precedesInRest(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (members[one], members[other])
        return bytes.bytes.precedes(one.start + 1..<one.nameEnd, other.start + 1..<other.nameEnd)
    }

    private func isSorted(_ first: Int, _ count: Int) -> Bool {
        for index in 1..<count where !precedes(first + index - 1, first + index) { return false }
        return true
    }

    /// Whether members are sorted in the order of the last object with as many.
    private func isSortedByOrder(_ first: Int, _ count: Int) -> Bool {
        guard orders.count > count, orders[count].count == count else { return false }
        for index in 1..<count where !precedes(first + orders[count][index - 1], first + orders[count][index]) {
            return false
        }
        return true
    }
}
