extension JSON {
    /// The members of a JSON object, in their order.
    ///
    /// Members with the same name are kept and written. A lookup returns the first one, and so does everything else that
    /// reads JSON: models, key paths and streams. In large objects a lookup takes constant time.
    ///
    /// Objects are equal if every name has equal values in both. The order does not count, nor does a member that is
    /// hidden by an earlier one of the same name.
    public struct Object: Sendable {
        /// A name and its value.
        public typealias Element = (key: String, value: JSON)

        private let members: [Element]
        /// The index of the first member of each name. `nil` in small objects, in which a search is faster.
        private let positions: [String: Int]?
        private static let indexedFrom = 17

        /// Makes an object.
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

        /// The value of the first member with a name. `nil` if there is none.
        public subscript(key: String) -> JSON? {
            guard let position = position(of: key) else { return nil }
            return members[position].value
        }

        private func position(of key: String) -> Int? {
            if let positions { return positions[key] }
            return members.firstIndex { $0.key == key }
        }

        /// The members that a lookup can return: those that are not hidden by an earlier one of the same name.
        var visible: [Element] {
            members.indices.filter { position(of: members[$0].key) == $0 }.map { members[$0] }
        }
    }
}

extension JSON.Object: RandomAccessCollection {
    /// The index of the first member.
    public var startIndex: Int { members.startIndex }

    /// The index after the last member.
    public var endIndex: Int { members.endIndex }

    /// The member at an index, from 0.
    public subscript(position: Int) -> Element { members[position] }
}

extension JSON.Object: Hashable {
    /// Returns whether every name has equal values in both, in any order.
    public static func == (left: Self, right: Self) -> Bool { JSON.object(left) == JSON.object(right) }

    /// Hashes the names and values, independently of their order.
    public func hash(into hasher: inout Hasher) { JSON.object(self).hash(into: &hasher) }
}

extension JSON.Object: ExpressibleByDictionaryLiteral {
    /// Makes an object, with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSON)...) { self.init(elements.map { ($0, $1) }) }
}

extension JSON.Object: CustomStringConvertible {
    /// The object as compact JSON text.
    public var description: String { JSON.object(self).description }
}
