public import Halyard
import HalyardFoundation

extension RouteBody {
    /// Returns a body with a value, written by the first of the provider's serializers that supports its type, or else
    /// by Halyard.
    ///
    /// ```swift
    /// Route(path: "/tables/7", method: .put, body: .value(table))          // by the provider's CSVSerializer
    /// ```
    ///
    /// Halyard writes `Data` and `String` as they are, lists of ``MultipartPart`` and ``Parameters`` as forms, and
    /// ``JSON`` and `Encodable` types as JSON. It writes an optional as its wrapped value; `nil` and `()` have no body.
    /// For any other type, the request fails with an ``HTTPError`` of kind `encoding` that names the type.
    public static func value<Value: Sendable>(_ value: Value) -> RouteBody {
        RouteBody { codec in try make(value, codec) }
    }

    fileprivate static func make<Value>(_ value: Value, _ codec: Codec) throws -> Made? {
        if let made = try codec.serializers.encode(value) { return (HTTPBody(made.data), made.contentType) }
        switch value {
        case is Void: return nil
        case let value as any AnyOptional: return try makeWrapped(value, codec)
        case let body as RouteBody: return try body.make(codec)
        case let data as Data: return try RouteBody.data(data).make(codec)
        case let text as String: return try RouteBody.text(text).make(codec)
        case let json as JSON: return try RouteBody.json(json).make(codec)
        case let form as [MultipartPart]: return try RouteBody.multipart(form).make(codec)
        case let params as Parameters: return try RouteBody.form(params: params).make(codec)
        case let value as any Encodable: return try encode(value, codec)
        default:
            throw HTTPError(
                .encoding("the body"), reason: "nothing writes values of the type \(Value.self)",
                suggestion: "Make it Encodable, or give the provider a serializer that writes it")
        }
    }

    private static func makeWrapped(_ optional: some AnyOptional, _ codec: Codec) throws -> Made? {
        try optional.asOptional.flatMap { try make($0, codec) }
    }
}

extension RouteBody {
    /// Returns a body with a value as JSON, encoded by the mapper of the route or the provider.
    ///
    /// If the value cannot be encoded, or is nested more than 511 levels deep, the request fails with an ``HTTPError``
    /// of kind `encoding`, whose cause is the `EncodingError`.
    public static func json(_ value: some Encodable & Sendable) -> RouteBody {
        RouteBody { codec in try encode(value, codec) }
    }

    static func encode(_ value: some Encodable, _ codec: Codec) throws -> Made? {
        // A `JSON` value keeps the order of its members, even if its static type is only
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

extension Parameters {
    /// Creates parameters from the members of an object, sorted by name. Members that are `nil` are left out.
    ///
    /// ```swift
    /// struct Search: Encodable { var text: String, tags: [String], page: Int? }
    /// let search = Search(text: "tea", tags: ["green", "oolong"])
    /// Route(path: "/songs", params: Parameters(encoding: search))        // /songs?tags=green&tags=oolong&text=tea
    /// ```
    ///
    /// If the object cannot be encoded, or has no members, the request fails with an ``HTTPError`` of kind `encoding`
    /// that names the type. The provider's mapper is not used.
    public init(encoding object: some Encodable, mapper: ObjectMapper = .standard) {
        self.init()
        let name = "\(type(of: object))"
        do {
            let json = try JSON(parsing: mapper.encode(object))
            if case .object(let members) = json {
                for (name, value) in members { append(ParameterValue(value), for: name) }
            } else {
                append(ParameterValue(.unwritable("it is not an object with members")), for: name)
            }
        } catch { append(ParameterValue(.unwritable(unwritable(object, error))), for: name) }
    }
}

extension ParameterValue {
    /// Makes the parameter for a JSON value.
    fileprivate init(_ json: JSON) {
        switch json {
        case .null: self.init(Storage.null)
        case .bool(let flag): self.init(.flag(flag))
        case .string(let text): self.init(.text(text))
        case .number(let number): self.init(number.int.map { .integer($0) } ?? .number(number.text))
        case .array(let elements): self.init(.list(elements.map { ParameterValue($0) }))
        case .object(let object):
            var members = Parameters()
            for (name, value) in object { members.append(ParameterValue(value), for: name) }
            self.init(.members(members))
        }
    }
}

extension RouteBody {
    /// Returns the members of an object as `application/x-www-form-urlencoded`, encoded by the mapper of the route or
    /// the provider. Lists repeat their name, or have another style. See ``Halyard/Parameters/init(encoding:mapper:)``.
    public static func form(
        encoding object: some Encodable & Sendable, arrays: ParameterEncoding.ArrayStyle = .repeated
    ) -> RouteBody {
        RouteBody { codec in
            try form(params: Parameters(encoding: object, mapper: codec.mapper), arrays: arrays).make(codec)
        }
    }
}
