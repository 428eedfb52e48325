public import Halyard
import HalyardFoundation
import HalyardHTTP

/// The transformers of a provider, at most one for each type. Models find them in the `userInfo` of encoders and
/// decoders.
final class Transformers: Sendable {
    static let key = CodingUserInfoKey(rawValue: "HalyardCodable.transformers")

    private let declared: [ObjectIdentifier: any Sendable]
    /// Describes an error in the list; `nil` for a valid list.
    private let problem: String?
    /// The results of earlier lookups for arrays, dictionaries and optionals, including failed ones.
    private let cache = Lock<[ObjectIdentifier: (any Sendable)?]>([:])

    /// Returns the transformers in a `userInfo` dictionary.
    static func of(_ userInfo: [CodingUserInfoKey: Any]) -> Transformers? {
        guard !userInfo.isEmpty, let key else { return nil }
        return userInfo[key] as? Transformers
    }

    init<each Value>(_ transformers: repeat Transformer<each Value>) {
        var (declared, problem) = ([ObjectIdentifier: any Sendable](), String?.none)
        func add<One>(_ transformer: Transformer<One>) {
            guard declared.updateValue(transformer, forKey: ObjectIdentifier(One.self)) != nil else { return }
            problem = "the ObjectMapper has two transformers for \(One.self)"
        }
        repeat add(each transformers)
        (self.declared, self.problem) = (declared, problem)
    }

    var isEmpty: Bool { declared.isEmpty }

    /// - Throws: ``Ambiguous`` if the list has two transformers for one type.
    func transformer<Value>(for type: Value.Type) throws -> Transformer<Value>? {
        if let problem { throw Ambiguous(description: problem) }
        return find(type) as? Transformer<Value>
    }

    fileprivate func find(_ type: Any.Type) -> (any Sendable)? {
        let key = ObjectIdentifier(type)
        if let transformer = declared[key] { return transformer }
        if let known = cache.withLock({ $0[key] }) { return known }
        let found = (type as? any Container.Type)?.transformer(from: self)
        cache.withLock { $0[key] = .some(found) }
        return found
    }

    /// The error of a list with two transformers for a type.
    struct Ambiguous: Error, CustomStringConvertible { let description: String }
}

/// A type whose elements may have a transformer.
private protocol Container {
    static func transformer(from transformers: Transformers) -> (any Sendable)?
}

extension Optional: Container {
    fileprivate static func transformer(from transformers: Transformers) -> (any Sendable)? {
        (transformers.find(Wrapped.self) as? Transformer<Wrapped>).map { Transformer<Wrapped?>.optional(of: $0) }
    }
}

extension Array: Container {
    fileprivate static func transformer(from transformers: Transformers) -> (any Sendable)? {
        (transformers.find(Element.self) as? Transformer<Element>).map { Transformer<[Element]>.array(of: $0) }
    }
}

extension Dictionary: Container where Key == String {
    fileprivate static func transformer(from transformers: Transformers) -> (any Sendable)? {
        (transformers.find(Value.self) as? Transformer<Value>).map { Transformer<[String: Value]>.dictionary(of: $0) }
    }
}

extension ObjectMapper {
    /// Creates a mapper with transformers for the properties of ``Mapped`` types.
    ///
    /// ```swift
    /// let mapper = ObjectMapper(dates: .iso8601, transformers: .strictURL, .texts(true: "t", false: "f"))
    /// ```
    ///
    /// A transformer reads and writes properties of its type, and arrays, dictionaries and optionals of it, except
    /// those whose ``Mapping/Field`` has its own transformer. It does not apply to types that are only `Codable`.
    ///
    /// If two transformers have the same type, every object with a mapping fails to decode and encode.
    public init<each Value>(
        dates: DateStyle = .automatic, keys: KeyStyle = .asWritten, numbers: NumberStyle = .strict,
        transformers: repeat Transformer<each Value>
    ) {
        let transformers = Transformers(repeat each transformers)
        let userInfo = Transformers.key.map { [$0: transformers] } ?? [:]
        self.init(dates: dates, keys: keys, numbers: numbers, userInfo: transformers.isEmpty ? [:] : userInfo)
    }
}
