extension JSON {
    /// The members of a JSON object, in the order in which they stood.
    ///
    /// A name that comes twice is kept twice, and written twice; looking it up gives the last one, as `JSONDecoder`
    /// and JavaScript do. Looking up takes constant time in large objects.
    ///
    /// Objects are equal when every name gives an equal value in both: the order does not count, nor does a member
    /// that a later one of its name hides.
    public struct Object: Sendable {
        /// A name and its value.
        public typealias Element = (key: String, value: JSON)

        private let members: [Element]
        /// Where the last member of each name is; nil in small objects, where looking through all is faster.
        private let positions: [String: Int]?
        private static let indexedFrom = 17

        /// An object of these members, in this order.
        public init(_ members: [Element]) {
            self.members = members
            guard members.count >= Self.indexedFrom else {
                positions = nil
                return
            }
            var positions: [String: Int] = Dictionary(minimumCapacity: members.count)
            for (position, member) in members.enumerated() { positions[member.key] = position }
            self.positions = positions
        }

        /// The value of the last member with this name; nil if there is none.
        public subscript(key: String) -> JSON? {
            guard let position = position(of: key) else { return nil }
            return members[position].value
        }

        private func position(of key: String) -> Int? {
            if let positions { return positions[key] }
            return members.lastIndex { $0.key == key }
        }

        /// The members that looking up can find: those that no later one of their name hides.
        var visible: [Element] {
            members.indices.filter { position(of: members[$0].key) == $0 }.map { members[$0] }
        }
    }
}

extension JSON.Object: RandomAccessCollection {
    /// The position of the first member.
    public var startIndex: Int { members.startIndex }

    /// The position after the last member.
    public var endIndex: Int { members.endIndex }

    /// The member at a position, from 0.
    public subscript(position: Int) -> Element { members[position] }
}

extension JSON.Object: Hashable {
    /// Equal when every name gives an equal value in both, in whatever order.
    public static func == (left: Self, right: Self) -> Bool { JSON.object(left) == JSON.object(right) }

    /// Hashes the names and values, in whatever order.
    public func hash(into hasher: inout Hasher) { JSON.object(self).hash(into: &hasher) }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// An object, its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements.map { ($0, $1) }) }
}

extension JSON.Object: CustomStringConvertible {
    /// The object as compact JSON text.
    public var description: String { JSON.object(self).description }
}
