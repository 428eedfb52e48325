// Both functions use a list instead of recursion, so that a deep value needs no deep stack.

extension JSON: Hashable {
    /// Returns whether two values are equal: numbers by value, objects in any order of their members.
    public static func == (left: JSON, right: JSON) -> Bool {
        var pairs = [(left, right)]
        while let (left, right) = pairs.popLast() {
            switch (left, right) {
            case (.null, .null): continue
            case (.bool(let one), .bool(let other)): guard one == other else { return false }
            case (.number(let one), .number(let other)): guard one == other else { return false }
            case (.string(let one), .string(let other)): guard one == other else { return false }
            case (.array(let one), .array(let other)):
                guard one.count == other.count else { return false }
                pairs.append(contentsOf: zip(one, other))
            case (.object(let one), .object(let other)):
                guard let members = one.paired(with: other) else { return false }
                pairs.append(contentsOf: members)
            default: return false
            }
        }
        return true
    }

    /// Hashes the value, consistently with ``==(_:_:)``.
    ///
    /// The hash is a sum over all places in the value, each with its path, because the order of members does not count.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        var rest = [(path: 0, value: self)]
        while let (path, value) = rest.popLast() {
            switch value {
            case .null: sum &+= Self.digest(path, 0)
            case .bool(let bool): sum &+= Self.digest(path, bool)
            case .number(let number): sum &+= Self.digest(path, number)
            case .string(let string): sum &+= Self.digest(path, string)
            case .array(let elements):
                sum &+= Self.digest(path, "[]")
                for (index, element) in elements.enumerated() { rest.append((Self.digest(path, index), element)) }
            case .object(let members):
                sum &+= Self.digest(path, "{}")
                for (name, value) in members.visible { rest.append((Self.digest(path, name), value)) }
            }
        }
        hasher.combine(sum)
    }

    private static func digest(_ path: Int, _ part: some Hashable) -> Int {
        var hasher = Hasher()
        hasher.combine(path)
        hasher.combine(part)
        return hasher.finalize()
    }
}

extension JSON.Object {
    /// Returns the pairs of values with the same name. `nil` if a name is in only one of the objects.
    fileprivate func paired(with other: Self) -> [(JSON, JSON)]? {
        let members = visible
        guard members.count == other.visible.count else { return nil }
        var pairs: [(JSON, JSON)] = []
        for (name, value) in members {
            guard let counterpart = other[name] else { return nil }
            pairs.append((value, counterpart))
        }
        return pairs
    }
}
