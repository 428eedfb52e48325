public import Halyard
import HalyardFoundation

extension RouteBody {
    /// A value as JSON, as the route's mapper or the provider's writes it.
    ///
    /// ```swift
    /// Route(path: "/user/\(user.id)", method: .put, body: .json(user))
    /// ```
    ///
    /// A value that cannot be encoded is the request's error: ``HTTPError`` of kind `encoding`, with the
    /// `EncodingError` as its cause. So is one that is nested more than 511 levels deep, and objects that stand in a
    /// circle.
    public static func json(_ value: some Encodable & Sendable) -> RouteBody {
        RouteBody { codec in try encode(value, codec) }
    }

    static func encode(_ value: some Encodable, _ codec: Codec) throws -> Made? {
        // By its own writer, in its own order, also where only its being Encodable was known.
        if let json = value as? JSON { return try RouteBody.json(json).make(codec) }
        do { return (HTTPBody(try codec.mapper.encode(value)), "application/json") } catch {
            throw HTTPError(.encoding("the body"), reason: unwritable(value, error), cause: error)
        }
    }
}

/// Why a value could not be written, in words: the place in it, the type or the property, and what was wrong.
func unwritable(_ value: some Encodable, _ error: any Error) -> String {
    guard case EncodingError.invalidValue(_, let context) = error else { return "\(type(of: value)): \(error)" }
    let owner = (context.underlyingError as? FieldFailure)?.label ?? "\(type(of: value))"
    let place = context.codingPath.reduce(into: "") { place, key in
        place += key.intValue.map { "[\($0)]" } ?? (place.isEmpty ? "" : ".") + key.stringValue
    }
    return "\(owner)\(place.isEmpty ? "" : " at \(place.quoted)"): \(context.debugDescription.inOneLine)"
}
