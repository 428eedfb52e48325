extension Argument {
    /// A group of arguments, taken from the properties of one value. Groups may stand in groups.
    ///
    /// ```swift
    /// static let signUp = Endpoint(
    ///     .post, "/users/{team}",
    ///     .group(SignUp.self, .init(\.team, .path("team")), .init(\.name, .field("name")), .init(\.picture, .part("image"))))
    /// ```
    ///
    /// A property that is not there does not compile. For an optional value say ``optional`` behind the group, which is then
    /// written with its type, `Argument.group(SignUp.self, ...).optional`: behind a leading dot Swift does not find it.
    public static func group(_ type: Value.Type, _ members: Member...) -> Argument {
        Argument(members.flatMap(\.places)) { value, draft throws(HTTPError) in
            for member in members { try member.put(value, &draft) }
        }
    }

    /// A property of a group's value, and the argument that it fills.
    public struct Member: Sendable {
        let places: [ArgumentPlace]
        let put: @Sendable (Value, inout Draft) throws(HTTPError) -> Void

        /// A member of a group.
        ///
        /// - Parameters:
        ///   - keyPath: the property.
        ///   - argument: what its value is to the request.
        public init<Property>(_ keyPath: any KeyPath<Value, Property> & Sendable, _ argument: Argument<Property>) {
            places = argument.places
            put = { value, draft throws(HTTPError) in try argument.put(value[keyPath: keyPath], in: &draft) }
        }
    }
}
