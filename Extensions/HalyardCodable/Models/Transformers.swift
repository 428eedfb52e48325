public import Halyard
import HalyardFoundation
import HalyardHTTP

/// The transformers of a provider, at most one for each type. Models find them in the `userInfo` of encoders and
/// decoders.
final class Transformers: Sendable {
    static let key = CodingUserInfoKey(rawValue: "HalyardCodable.transformers")

    private let declared: [ObjectIdentifier: any AnyTransformer]
    /// Describes an error in the list; `nil` for a valid list.
    private let problem: String?
    /// The results of earlier lookups for arrays, dictionaries and optionals, including failed ones.
    private let cache = Lock<[ObjectIdentifier: (any AnyTransformer)?]>([:])

    /// Returns the transformers in a `userInfo` dictionary.
    static func of(_ userInfo: [CodingUserInfoKey: Any]) -> Transformers? {
        guard !userInfo.isEmpty, let key else { return nil }
        return userInfo[key] as? Transformers
    }

    init(_ transformers: [any AnyTransformer]) {
        var (declared, problem) = ([ObjectIdentifier: any AnyTransformer](), String?.none)
        for transformer in transformers {
            guard declared.updateValue(transformer, forKey: ObjectIdentifier(transformer.type)) != nil else { continue }
            problem = "the ObjectMapper has two transformers for \(transformer.type)"
        }
        (self.declared, self.problem) = (declared, problem)
    }

    /// Returns the transformer for a type, or `nil`.
    ///
    /// - Throws: ``Ambiguous`` if the list has two transformers for a type.
    func transformer<Value>(for type: Value.Type) throws -> Transformer<Value>? {
        if let problem { throw Ambiguous(description: problem) }
        return find(type) as? Transformer<Value>
    }

    fileprivate func find(_ type: Any.Type) -> (any AnyTransformer)? {
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

/// A transformer of any type.
protocol AnyTransformer: Sendable {
    var type: Any.Type { get }
}

extension Transformer: AnyTransformer {
    var type: Any.Type { Value.self }
}

/// A type whose elements may have a transformer.
private protocol Container {
    static func transformer(from transformers: Transformers) -> (any AnyTransformer)?
}

extension Optional: Container {
    fileprivate static func transformer(from transformers: Transformers) -> (any AnyTransformer)? {
        (transformers.find(Wrapped.self) as? Transformer<Wrapped>).map { Transformer<Wrapped?>.optional(of: $0) }
    }
}

extension Array: Container {
    fileprivate static func transformer(from transformers: Transformers) -> (any AnyTransformer)? {
        (transformers.find(Element.self) as? Transformer<Element>).map { Transformer<[Element]>.array(of: $0) }
    }
}

extension Dictionary: Container where Key == String {
    fileprivate static func transformer(from transformers: Transformers) -> (any AnyTransformer)? {
        (transformers.find(Value.self) as? Transformer<Value>).map { Transformer<[String: Value]>.dictionary(of: $0) }
    }
}

extension ObjectMapper {
    /// Makes a mapper with transformers for the properties of ``Mapped`` types.
    ///
    /// ```swift
    /// let mapper = ObjectMapper(dates: .iso8601, transformers: .strictURL, .texts(true: "t", false: "f"))
    /// ```
    ///
    /// A transformer reads and writes the properties of its type, and arrays, dictionaries and optionals of the type,
    /// unless their ``Mapping/Field`` has its own transformer. It does not apply to types that are only `Codable`.
    ///
    /// - Parameters:
    ///   - dates: The representation of dates without a transformer. Defaults to ``DateStyle/automatic``.
    ///   - keys: The conversion of names. Defaults to no conversion. Names in a mapping are never converted.
    ///   - transformers: At most one transformer for each type. With two for one type, every object with a mapping
    ///     fails to decode and encode.
    public init<each Value>(
        dates: DateStyle = .automatic, keys: KeyStyle = .asWritten,
        transformers: repeat Transformer<each Value>
    ) {
        var list: [any AnyTransformer] = []
        repeat list.append(each transformers)
        guard let key = Transformers.key, !list.isEmpty else {
            self.init(dates: dates, keys: keys)
            return
        }
        self.init(dates: dates, keys: keys, userInfo: [key: Transformers(list)])
    }
}
