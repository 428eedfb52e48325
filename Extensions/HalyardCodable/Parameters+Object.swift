public import Halyard

extension Parameters {
    /// Makes parameters of the members of an object, in the order of their names. `nil` is left out.
    ///
    /// ```swift
    /// struct Search: Encodable { var text: String, tags: [String], page: Int? }
    /// let search = Search(text: "tea", tags: ["green", "oolong"])
    /// Route(path: "/songs", params: Parameters(encoding: search))        // /songs?tags=green&tags=oolong&text=tea
    /// ```
    ///
    /// A value that cannot be written, or has no members, fails the request with ``HTTPError`` of kind `encoding`,
    /// which names the type.
    ///
    /// - Parameter mapper: Writes the object. The provider's mapper is not used. Defaults to ``ObjectMapper/standard``, with
    ///   dates as milliseconds since 1970.
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
    /// Returns the members of an object as `application/x-www-form-urlencoded`, written by the mapper of the route or
    /// the provider. See ``Halyard/Parameters/init(encoding:mapper:)``.
    public static func form(encoding object: some Encodable & Sendable) -> RouteBody {
        RouteBody { codec in try form(params: Parameters(encoding: object, mapper: codec.mapper)).make(codec) }
    }
}
