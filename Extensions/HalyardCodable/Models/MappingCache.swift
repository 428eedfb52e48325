import Halyard
import HalyardHTTP

/// The mapping of each type, for those of generic types and classes are computed.
enum MappingCache {
    private static let mappings = Lock<[ObjectIdentifier: any Sendable]>([:])

    static func mapping<Value: Mapped>(of type: Value.Type) -> Mapping<Value.Model> {
        let key = ObjectIdentifier(type)
        if let known = mappings.withLock({ $0[key] }) as? Mapping<Value.Model> { return known }
        // The user's own code: not under the lock. Two threads may both make it, and make the same.
        let mapping = type.mapping
        mappings.withLock { $0[key] = mapping }
        return mapping
    }
}
