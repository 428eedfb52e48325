extension Argument {
    /// Returns a group of arguments that are filled from the properties of one value. A group may contain groups.
    ///
    /// ```swift
    /// static let signUp = Endpoint(
    ///     .post, "/users/{team}",
    ///     .group(SignUp.self, .init(\.team, .path("team")), .init(\.name, .field("name")), .init(\.picture, .part("image"))))
    /// ```
    ///
    /// For an optional group append ``optional``, and write the type: `Argument.group(SignUp.self, ...).optional`.
    /// After a leading dot Swift does not find it.
    public static func group(_ type: Value.Type, _ members: Member...) -> Argument {
        Argument(members.flatMap(\.places)) { value, draft throws(HTTPError) in
            for member in members { try member.write(value, &draft) }
        }
    }

    /// A property of a group's value, and the argument that it fills.
    public struct Member: Sendable {
        let places: [ArgumentPlace]
        let write: @Sendable (Value, inout Draft) throws(HTTPError) -> Void

        /// Makes a member of a group.
        public init<Property>(_ keyPath: any KeyPath<Value, Property> & Sendable, _ argument: Argument<Property>) {
            places = argument.places
            write = { value, draft throws(HTTPError) in try argument.write(value[keyPath: keyPath], to: &draft) }
        }
    }
}
