public import Halyard

extension Parameters {
    /// The members of an object, as its mapper writes them: in order of their names, and `nil` left out.
    ///
    /// ```swift
    /// struct Search: Encodable { var text: String, tags: [String], page: Int? }
    /// let search = Search(text: "tea", tags: ["green", "oolong"])
    /// Route(path: "/songs", params: Parameters(encoding: search))        // /songs?tags=green&tags=oolong&text=tea
    /// ```
    ///
    /// What cannot be written, or is no object with members, is the request's error: ``HTTPError`` of kind `encoding`,
    /// which names the type.
    ///
    /// - Parameters:
    ///   - object: the object.
    ///   - mapper: how it is written; a route's parameters do not know their provider's. Dates are milliseconds since
    ///     1970 unless given, as in other parameters.
    public init(encoding object: some Encodable, mapper: ObjectMapper = .standard) {
        self.init()
        let name = "\(type(of: object))"
        do {
            let json = try JSON(parsing: mapper.encode(object))
            if case .object(let members) = json {
                for (name, value) in members { append(ParameterValue(value), for: name) }
            } else {
                append(ParameterValue(.unwritable("it is no object with members")), for: name)
            }
        } catch { append(ParameterValue(.unwritable(unwritable(object, error))), for: name) }
    }
}

extension ParameterValue {
    /// What a JSON value is as a parameter.
    fileprivate init(_ json: JSON) {
        switch json {
        case .null: self.init(.nothing)
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
    /// The members of an object as `application/x-www-form-urlencoded`, as the route's mapper or the provider's writes
    /// them; see ``Halyard/Parameters/init(encoding:mapper:)``.
    public static func form(encoding object: some Encodable & Sendable) -> RouteBody {
        RouteBody { codec in try form(params: Parameters(encoding: object, mapper: codec.mapper)).make(codec) }
    }
}
