import HalyardHTTP

/// How a coder treats the types of one decoding or encoding. A type is looked up by its address, at one of 32 places.
struct TypeCache<Coded: Sendable>: ~Copyable {
    enum Kind: Sendable {
        /// The type's own `init(from:)` or `encode(to:)` is called.
        case own
        /// A coding key that is never converted.
        case verbatim
        /// The coder reads or writes the type.
        case known(Coded)
    }

    /// The kinds of all types so far. To find them again for each body would take longer than to read a short body.
    typealias Known = Lock<[ObjectIdentifier: Kind]>

    private struct Entry {
        var type: ObjectIdentifier?
        var kind = Kind.own
    }

    private let known: Known
    private let entries: UnsafeMutablePointer<Entry>
    private static var count: Int { 32 }

    init(_ known: Known) {
        self.known = known
        entries = .allocate(capacity: Self.count)
        entries.initialize(repeating: Entry(), count: Self.count)
    }

    deinit { entries.deallocate() }

    @inline(__always)
    func kind(of type: Any.Type) -> Kind {
        let id = ObjectIdentifier(type)
        let address = Int(bitPattern: id)
        // The bits of the address that differ between types.
        let entry = entries + ((address >> 3 ^ address >> 9) & (Self.count - 1))
        if entry.pointee.type == id { return entry.pointee.kind }
        return find(type, id, entry)
    }

    @inline(__always)
    func isVerbatim(_ type: Any.Type) -> Bool {
        if case .verbatim = kind(of: type) { true } else { false }
    }

    @inline(never)
    private func find(_ type: Any.Type, _ id: ObjectIdentifier, _ entry: UnsafeMutablePointer<Entry>) -> Kind {
        let kind = known.withLock { $0[id] } ?? Self.found(type)
        known.withLock { $0[id] = kind }
        entry.pointee = Entry(type: id, kind: kind)
        return kind
    }

    private static func found(_ type: Any.Type) -> Kind {
        if let coded = type as? Coded { return .known(coded) }
        return type is any VerbatimKey.Type ? .verbatim : .own
    }
}
