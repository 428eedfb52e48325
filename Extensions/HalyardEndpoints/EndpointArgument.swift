public import HalyardCodable

/// Declares where one argument of a call goes: into the path, the query, a body field, a multipart part, a header field
/// or the body.
///
/// ```swift
/// Endpoint(.put, "/users/{id}", .path("id", as: Int.self), .header("X-Reason"), .json(User.self))
/// ```
///
/// A value is a `String`, unless `as:` names another type. A value that is `nil` is left out. In a path it fails the
/// request.
public struct EndpointArgument<Value: Sendable>: Sendable {
    let places: [ArgumentPlace]
    private let writer: @Sendable (Value, inout Draft) throws(HTTPError) -> Void

    init(_ places: [ArgumentPlace], _ writer: @escaping @Sendable (Value, inout Draft) throws(HTTPError) -> Void) {
        self.places = places
        self.writer = writer
    }

    /// Adds a value to a draft. An error becomes the error of the request.
    func add(_ value: Value, to draft: inout Draft) {
        do throws(HTTPError) { try writer(value, &draft) } catch { draft.fail(with: error) }
    }

    /// Adds a value to a draft.
    func write(_ value: Value, to draft: inout Draft) throws(HTTPError) { try writer(value, &draft) }
}

extension EndpointArgument {
    /// The argument with an optional value. `nil` leaves it out; for a group, the whole group.
    public var optional: EndpointArgument<Value?> {
        EndpointArgument<Value?>(places) { value, draft throws(HTTPError) in
            if let value { try self.write(value, to: &draft) }
        }
    }
}

// Arguments with one value as text: path, query, field, header field.

extension EndpointArgument where Value == String {
    /// Returns a placeholder of the path, `{name}`, which a `String` fills as one escaped segment.
    public static func path(_ name: String) -> EndpointArgument { path(name, as: String.self) }
    /// Returns a parameter of the query, which a `String` fills.
    public static func query(_ name: String) -> EndpointArgument { query(name, as: String.self) }
    /// Returns a field of the body, which a `String` fills.
    public static func field(_ name: String) -> EndpointArgument { field(name, as: String.self) }
    /// Returns a header field, which a `String` fills. It takes precedence over the provider's and the endpoint's own.
    public static func header(_ name: String) -> EndpointArgument { header(name, as: String.self) }
}

extension EndpointArgument where Value: ParameterConvertible {
    /// Returns a placeholder of the path, `{name}`, which a value fills as one escaped segment.
    ///
    /// - Parameter type: The type of the value. `nil`, an array or an object fails the request with ``HTTPError`` of kind
    ///   `invalidPath`.
    public static func path(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.path(name)]) { value, draft in draft.fill(name, value.parameterValue) }
    }

    /// Returns a parameter of the query.
    ///
    /// - Parameter type: The type of the value. `nil` is left out. An array is written in the array style of the endpoint's
    ///   `encoding`, or else of the provider's `defaultEncoding(for:)`. The default style repeats the name.
    public static func query(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.query]) { value, draft in draft.endpointOptions.query.append(value, for: name) }
    }

    /// Returns a field of the body, in the endpoint's encoding.
    ///
    /// - Parameter type: The type of the value. `nil` is left out.
    public static func field(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.field]) { value, draft in draft.pieces.append(.field(name, value.parameterValue)) }
    }

    /// Returns a header field. It takes precedence over the provider's and the endpoint's own.
    ///
    /// - Parameter type: The type of the value. `nil` is left out.
    public static func header(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.header]) { value, draft throws(HTTPError) in try draft.setHeader(name, value.parameterValue)
        }
    }
}

extension EndpointArgument where Value == Parameters {
    /// Any number of parameters of the query, whose names are in the call. Arrays are written as with ``query(_:as:)``.
    public static var queries: EndpointArgument {
        EndpointArgument([.query]) { value, draft in
            for item in value.items { draft.endpointOptions.query.append(item.value, for: item.name) }
        }
    }
}

// The body.

extension EndpointArgument where Value: Encodable {
    /// Returns the body as JSON, written by the provider's mapper.
    ///
    /// - Parameter type: The type of the value. `nil` means no body.
    public static func json(_ type: Value.Type = Value.self) -> EndpointArgument {
        EndpointArgument([.body]) { value, draft in
            if !isNil(value) { draft.body = .json(value) }
        }
    }
}

extension EndpointArgument {
    /// Returns the body, written by the first of the provider's serializers that supports the type, or else by Halyard.
    /// See `RouteBody.value(_:)`.
    ///
    /// - Parameter type: The type of the value. `nil` means no body.
    public static func body(_ type: Value.Type) -> EndpointArgument {
        EndpointArgument([.body]) { value, draft in
            if !isNil(value) { draft.body = .value(value) }
        }
    }
}

extension EndpointArgument where Value == RouteBody {
    /// The body, which the call makes: `.text("hello")`, `.file(url)`, `.stream(chunks)`.
    public static var body: EndpointArgument { EndpointArgument([.body]) { value, draft in draft.body = value } }
}

extension EndpointArgument {
    /// Returns a group of arguments that are filled from the properties of one value. A group may contain groups.
    ///
    /// ```swift
    /// static let signUp = Endpoint(
    ///     .post, "/users/{team}",
    ///     .group(SignUp.self, .init(\.team, .path("team")), .init(\.name, .field("name")), .init(\.picture, .part("image"))))
    /// ```
    ///
    /// For an optional group append ``optional``, and write the type: `EndpointArgument.group(SignUp.self, ...).optional`.
    /// After a leading dot Swift does not find it.
    public static func group(_ type: Value.Type, _ members: Member...) -> EndpointArgument {
        EndpointArgument(members.flatMap(\.places)) { value, draft throws(HTTPError) in
            for member in members { try member.write(value, &draft) }
        }
    }

    /// A property of a group's value, and the argument that it fills.
    public struct Member: Sendable {
        let places: [ArgumentPlace]
        let write: @Sendable (Value, inout Draft) throws(HTTPError) -> Void

        /// Makes a member of a group.
        public init<Property>(
            _ keyPath: any KeyPath<Value, Property> & Sendable, _ argument: EndpointArgument<Property>
        ) {
            places = argument.places
            write = { value, draft throws(HTTPError) in try argument.write(value[keyPath: keyPath], to: &draft) }
        }
    }
}

private func isNil(_ value: some Any) -> Bool { (value as? any AnyOptional)?.isNil ?? false }
