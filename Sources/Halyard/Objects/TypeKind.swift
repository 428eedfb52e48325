import HalyardFoundation
import HalyardHTTP

/// How a type is read and written: by its own `init(from:)` and `encode(to:)`, or by the coders.
enum TypeKind: UInt8 {
    case own
    case bool, string, double, float
    case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
    case date, data, url, decimal, json
    /// An array, or a dictionary with strings as keys.
    case container
    /// A coding key that is never converted.
    case verbatim

    /// Returns the kind of a type, by dynamic casts. They take long, so `TypeCache` keeps the result.
    static func found(of type: Any.Type) -> TypeKind {
        if let known = basic[ObjectIdentifier(type)] { return known }
        if type is any AnyContainer.Type { return .container }
        if type is any VerbatimKey.Type { return .verbatim }
        return .own
    }

    private static let basic: [ObjectIdentifier: TypeKind] = [
        ObjectIdentifier(Bool.self): .bool, ObjectIdentifier(String.self): .string,
        ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float,
        ObjectIdentifier(Int.self): .int, ObjectIdentifier(Int8.self): .int8, ObjectIdentifier(Int16.self): .int16,
        ObjectIdentifier(Int32.self): .int32, ObjectIdentifier(Int64.self): .int64,
        ObjectIdentifier(UInt.self): .uint, ObjectIdentifier(UInt8.self): .uint8,
        ObjectIdentifier(UInt16.self): .uint16, ObjectIdentifier(UInt32.self): .uint32,
        ObjectIdentifier(UInt64.self): .uint64,
        ObjectIdentifier(Date.self): .date, ObjectIdentifier(Data.self): .data, ObjectIdentifier(URL.self): .url,
        ObjectIdentifier(Decimal.self): .decimal, ObjectIdentifier(JSON.self): .json,
    ]
}

/// The kinds of the types of one decoding or encoding. A type is looked up by its address, at one of 32 places.
struct TypeCache: ~Copyable {
    private struct Entry {
        var type: ObjectIdentifier?
        var kind = TypeKind.own
    }

    /// The kinds of all types so far. To find them again for each body would take longer than to read a short body.
    private static let known = Lock<[ObjectIdentifier: TypeKind]>([:])
    private let entries: UnsafeMutablePointer<Entry>
    private static let count = 32

    init() {
        entries = .allocate(capacity: Self.count)
        entries.initialize(repeating: Entry(), count: Self.count)
    }

    deinit { entries.deallocate() }

    @inline(__always)
    func kind(of type: Any.Type) -> TypeKind {
        let id = ObjectIdentifier(type)
        let entry = entries + (id.hashValueOfAddress & (Self.count - 1))
        if entry.pointee.type == id { return entry.pointee.kind }
        return Self.find(type, id, entry)
    }

    @inline(never)
    private static func find(
        _ type: Any.Type, _ id: ObjectIdentifier, _ entry: UnsafeMutablePointer<Entry>
    ) -> TypeKind {
        let kind =
            known.withLock { $0[id] }
            ?? {
                let found = TypeKind.found(of: type)
                known.withLock { $0[id] = found }
                return found
            }()
        entry.pointee = Entry(type: id, kind: kind)
        return kind
    }
}

extension ObjectIdentifier {
    /// The bits of the address that differ between types.
    @inline(__always)
    fileprivate var hashValueOfAddress: Int {
        let address = Int(bitPattern: self)
        return address >> 3 ^ address >> 9
    }
}

/// Marks arrays, and dictionaries with strings as keys.
private protocol AnyContainer {}

extension Array: AnyContainer {}

extension Dictionary: AnyContainer where Key == String {}
