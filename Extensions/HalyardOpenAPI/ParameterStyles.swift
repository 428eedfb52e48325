import HalyardCodable
import HalyardHTTP

// The styles of OpenAPI's parameters that no encoding of a route writes.

extension Sequence where Element: PathConvertible {
    /// Returns the elements as one text, for lists with the separator of their style.
    public func joined(by separator: String) -> String {
        map { $0.parameterValue.text ?? "" }.joined(separator: separator)
    }
}

extension APIModel {
    /// The members as parameters, with dates in ISO 8601.
    public var asParameters: Parameters { Parameters(encoding: self, mapper: ObjectMapper(dates: .iso8601)) }
}

extension Parameters {
    /// Returns the names and values as one text with commas, for objects whose pairs are `name,value` or `name=value`.
    public func joined(by separator: String) -> String {
        items.map { "\($0.name)\(separator)\($0.value.text ?? "")" }.joined(separator: ",")
    }

    /// Returns these parameters and those of another list after them.
    public func merging(_ other: Parameters?) -> Parameters {
        var merged = self
        for item in other?.items ?? [] { merged.append(item.value, for: item.name) }
        return merged
    }

    /// The parameters as the value of a `Cookie` header, or `nil` if there are none. Characters that a cookie cannot have
    /// are percent-encoded (RFC 6265 section 4.1.1).
    public var asCookies: String? {
        if isEmpty { return nil }
        return items.map { "\($0.name)=\(($0.value.text ?? "").utf8.map(\.inCookie).joined())" }.joined(separator: "; ")
    }
}

extension UInt8 {
    /// The byte as it is in a cookie. Commas separate the elements of lists.
    fileprivate var inCookie: String {
        let isAllowed = self > 32 && self < 127 && !"\";\\%".utf8.contains(self)
        if isAllowed { return String(UnicodeScalar(self)) }
        let (percent, high, low) = percentEncoded
        return String(decoding: [percent, high, low], as: UTF8.self)
    }
}
