public import Halyard
import HalyardFoundation

extension RouteBody {
    /// Returns a body with a value as JSON, written by the mapper of the route or the provider.
    ///
    /// ```swift
    /// Route(path: "/user/\(user.id)", method: .put, body: .json(user))
    /// ```
    ///
    /// A value that cannot be encoded fails the request with ``HTTPError`` of kind `encoding`, with the `EncodingError`
    /// as its cause. This applies also to more than 511 nested levels, and to objects that refer to each other in a
    /// cycle.
    ///
    /// - Parameter value: The value.
    /// - Returns: The body.
    public static func json(_ value: some Encodable & Sendable) -> RouteBody {
        RouteBody { codec in try encode(value, codec) }
    }

    static func encode(_ value: some Encodable, _ codec: Codec) throws -> Made? {
        // A `JSON` value is written by `JSONWriter`, which keeps the order of members, even if its static type is only
        // `Encodable`.
        if let json = value as? JSON { return try RouteBody.json(json).make(codec) }
        do { return (HTTPBody(try codec.mapper.encode(value)), "application/json") } catch {
            throw HTTPError(.encoding("the body"), reason: unwritable(value, error), cause: error)
        }
    }
}

/// Returns the reason why a value could not be written: the place in it, the type or the property, and the error.
func unwritable(_ value: some Encodable, _ error: any Error) -> String {
    guard case EncodingError.invalidValue(_, let context) = error else { return "\(type(of: value)): \(error)" }
    let owner = (context.underlyingError as? FieldFailure)?.label ?? "\(type(of: value))"
    let place = context.codingPath.reduce(into: "") { place, key in
        place += key.intValue.map { "[\($0)]" } ?? (place.isEmpty ? "" : ".") + key.stringValue
    }
    return "\(owner)\(place.isEmpty ? "" : " at \(place.quoted)"): \(context.debugDescription.inOneLine)"
}
