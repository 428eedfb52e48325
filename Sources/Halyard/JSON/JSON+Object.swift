extension JSON {
    /// The members of a JSON object, in order.
    ///
    /// Members that share a name are all kept and written. A lookup returns the first of them, as does everything else
    /// that reads JSON: models, key paths and streams. In large objects, a lookup takes constant time.
    ///
    /// Two objects are equal if they have the same names, and equal values for each name. The order of members is
    /// ignored, and so is a member that follows another with the same name.
    public struct Object: Sendable {
        /// A name and its value.
        public typealias Element = (key: String, value: JSON)

        private var members: [Element]
        /// The index of the first member of each name. `nil` in small objects, in which a search is faster.
        private var positions: [String: Int]?
        private static let indexedFrom = 17

        /// Creates an object from its members.
        public init(_ members: [Element]) {
            self.members = members
            guard members.count >= Self.indexedFrom else {
                positions = nil
                return
            }
            var positions: [String: Int] = Dictionary(minimumCapacity: members.count)
            for (position, member) in members.enumerated().reversed() { positions[member.key] = position }
            self.positions = positions
        }

        /// The value of the first member with the given name, or `nil` if there is none.
        ///
        /// Assigning a value replaces the current one, or adds a member at the end. Assigning `nil` removes every
        /// member with that name.
        public subscript(key: String) -> JSON? {
            get {
                guard let position = position(of: key) else { return nil }
                return members[position].value
            }
            set {
                switch (newValue, position(of: key)) {
                case (let value?, let position?): members[position].value = value
                case (let value?, nil):
                    members.append((key, value))
                    positions?[key] = members.count - 1
                    if members.count == Self.indexedFrom { self = Self(members) }
                case (nil, _): self = Self(members.filter { $0.key != key })
                }
            }
        }

        private func position(of key: String) -> Int? {
            if let positions { return positions[key] }
            return members.firstIndex { $0.key == key }
        }

        /// The members that a lookup can return: those that are not hidden by an earlier one of the same name.
        package var visible: [Element] {
            members.indices.filter { position(of: members[$0].key) == $0 }.map { members[$0] }
        }
    }
}

extension JSON.Object: RandomAccessCollection {
    /// The index of the first member.
    public var startIndex: Int { members.startIndex }

    /// The index after the last member.
    public var endIndex: Int { members.endIndex }

    /// The member at an index, counted from 0.
    public subscript(position: Int) -> Element { members[position] }
}

extension JSON.Object: Hashable {
    /// Returns whether two objects have equal values for every name, in any order.
    public static func == (left: Self, right: Self) -> Bool { JSON.object(left) == JSON.object(right) }

    /// Hashes the names and values, independently of their order.
    public func hash(into hasher: inout Hasher) { JSON.object(self).hash(into: &hasher) }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Creates an object whose members are in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements.map { ($0, $1) }) }
}

extension JSON.Object: CustomStringConvertible {
    /// The object as compact JSON text.
    public var description: String { JSON.object(self).description }
}

// Both functions use a list instead of recursion, so that a deep value needs no deep stack.

extension JSON: Hashable {
    /// Returns whether two values are equal. Numbers are compared by value, and the order of members is ignored.
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

    /// Hashes the value, consistently with ``==(_:_:)``. The hash adds up every place in the value, together with its
    /// path, because the order of members does not matter.
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
