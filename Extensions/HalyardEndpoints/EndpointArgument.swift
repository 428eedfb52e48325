public import HalyardCodable
public import HalyardFoundation

/// Declares where one argument of a call goes: into the path, the query, a body field, a multipart part, a header or
/// the body.
///
/// ```swift
/// Endpoint(.put, "/users/{id}", .path("id", as: Int.self), .header("X-Reason"), .json(User.self))
/// ```
///
/// A value is a `String` if `as:` does not name another type. A value that is `nil` is left out, but in a path it fails
/// the request.
public struct EndpointArgument<Value: Sendable>: Sendable {
    let places: [ArgumentPlace]
    let write: @Sendable (Value, inout Draft) throws(HTTPError) -> Void

    init(_ places: [ArgumentPlace], _ write: @escaping @Sendable (Value, inout Draft) throws(HTTPError) -> Void) {
        self.places = places
        self.write = write
    }

    /// Adds a value to a draft. An error becomes the error of the request.
    func add(_ value: Value, to draft: inout Draft) {
        do throws(HTTPError) { try write(value, &draft) } catch { draft.fail(with: error) }
    }
}

extension EndpointArgument {
    /// This argument with an optional value. `nil` leaves out the argument or, for a group, the whole group.
    public var optional: EndpointArgument<Value?> {
        EndpointArgument<Value?>(places) { value, draft throws(HTTPError) in
            if let value { try self.write(value, &draft) }
        }
    }
}

// Arguments with one value as text: path, query, field, header field.

extension EndpointArgument where Value == String {
    /// Returns the argument for a placeholder of the path, `{name}`, which a `String` fills as one escaped segment.
    public static func path(_ name: String) -> EndpointArgument { path(name, as: String.self) }
    /// Returns a parameter of the query, filled by a `String`.
    public static func query(_ name: String) -> EndpointArgument { query(name, as: String.self) }
    /// Returns a field of the body, filled by a `String`.
    public static func field(_ name: String) -> EndpointArgument { field(name, as: String.self) }
    /// Returns a header, filled by a `String`. It takes precedence over the provider's and the endpoint's own headers.
    public static func header(_ name: String) -> EndpointArgument { header(name, as: String.self) }
}

extension EndpointArgument where Value: ParameterConvertible {
    /// Returns the argument for a placeholder of the path, `{name}`, which a value fills as one escaped segment.
    ///
    /// - Parameter type: The type of the value. `nil`, an array or an object fails the request with an ``HTTPError`` of
    ///   kind `invalidPath`.
    public static func path(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.path(name)]) { value, draft in draft.fill(name, value.parameterValue) }
    }

    /// Returns a parameter of the query.
    ///
    /// - Parameter type: The type of the value. `nil` is left out. An array is written in the array style of the
    ///   endpoint's `encoding`, or else of the provider's `defaultEncoding(for:)`. The default style repeats the name.
    public static func query(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.query]) { value, draft in draft.endpointOptions.query.append(value, for: name) }
    }

    /// Returns a field of the body, written in the endpoint's encoding.
    public static func field(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.field]) { value, draft in draft.addField(value.parameterValue, name) }
    }

    /// Returns a header. It takes precedence over the provider's and the endpoint's own headers.
    public static func header(_ name: String, as type: Value.Type) -> EndpointArgument {
        EndpointArgument([.header]) { value, draft throws(HTTPError) in try draft.setHeader(name, value.parameterValue)
        }
    }
}

extension EndpointArgument where Value == Parameters {
    /// Any number of query parameters, whose names come from the call. Arrays are written as by ``query(_:as:)``.
    public static var queries: EndpointArgument {
        EndpointArgument([.query]) { value, draft in
            for item in value.items { draft.endpointOptions.query.append(item.value, for: item.name) }
        }
    }
}

// The body.

extension EndpointArgument where Value: Encodable {
    /// Returns a JSON body, encoded by the provider's mapper.
    public static func json(_ type: Value.Type = Value.self) -> EndpointArgument {
        EndpointArgument([.body]) { value, draft in
            if !isNil(value) { draft.body = .json(value) }
        }
    }
}

extension EndpointArgument {
    /// Returns a body that is written by the first of the provider's serializers that supports the type, or else by
    /// Halyard. See `RouteBody.value(_:)`.
    public static func body(_ type: Value.Type) -> EndpointArgument {
        EndpointArgument([.body]) { value, draft in
            if !isNil(value) { draft.body = .value(value) }
        }
    }
}

extension EndpointArgument where Value == RouteBody {
    /// A body that the caller creates: `.text("hello")`, `.file(url)`, `.stream(chunks)`.
    public static var body: EndpointArgument { EndpointArgument([.body]) { value, draft in draft.body = value } }
}

extension EndpointArgument {
    /// Returns a group of arguments that the properties of one value fill. A group may contain groups.
    ///
    /// ```swift
    /// static let signUp = Endpoint(
    ///     .post, "/users/{team}",
    ///     .group(SignUp.self, .init(\.team, .path("team")), .init(\.name, .field("name")), .init(\.picture, .part("image"))))
    /// ```
    ///
    /// For an optional group, append ``optional`` and write the type:
    /// `EndpointArgument.group(SignUp.self, ...).optional`. Swift does not find it after a leading dot.
    public static func group(_ type: Value.Type, _ members: EndpointArgument...) -> EndpointArgument {
        EndpointArgument(members.flatMap(\.places)) { value, draft throws(HTTPError) in
            for member in members { try member.write(value, &draft) }
        }
    }

    /// Creates a member of a group: the argument that a property of the group's value fills.
    public init<Property>(
        _ keyPath: any KeyPath<Value, Property> & Sendable, _ argument: EndpointArgument<Property>
    ) {
        self.init(argument.places) { value, draft throws(HTTPError) in
            try argument.write(value[keyPath: keyPath], &draft)
        }
    }
}

private func isNil(_ value: some Any) -> Bool { (value as? any AnyOptional)?.isNil ?? false }

extension EndpointArgument where Value == Data {
    /// Returns a part of a multipart form that contains bytes. See ``part(_:as:filename:contentType:)``.
    ///
    /// - Parameters:
    ///   - filename: The file name to send. Defaults to none.
    ///   - contentType: The `Content-Type`. Defaults to the type for the file name's extension, or else to
    ///     `application/octet-stream`.
    public static func part(_ name: String, filename: String? = nil, contentType: String? = nil) -> EndpointArgument {
        part(name, as: Data.self, filename: filename, contentType: contentType)
    }
}

extension EndpointArgument where Value: PartConvertible {
    /// Returns a part of a multipart form. Parts and fields keep the order of the arguments.
    ///
    /// - Parameters:
    ///   - type: The type of the value: `Data`, `String`, the `URL` of a file, `MultipartPart`, or an array or an
    ///     optional of these. `nil` is left out.
    ///   - filename: The file name to send. For a file, it defaults to the file's own name; otherwise to none.
    ///   - contentType: The `Content-Type`. Defaults to the type for the file name's extension, or else to
    ///     `application/octet-stream`. Text has none by default.
    public static func part(
        _ name: String, as type: Value.Type, filename: String? = nil, contentType: String? = nil
    ) -> EndpointArgument {
        EndpointArgument([.part]) { value, draft in
            draft.addParts(value.multipartParts(name: name, filename: filename, contentType: contentType))
        }
    }
}

/// A type whose values can be parts of a multipart form: `Data`, `String`, the `URL` of a file, `MultipartPart`, and
/// optionals and arrays of these.
public protocol PartConvertible: Sendable {
    /// Returns the parts of the value, in order.
    ///
    /// - Parameters:
    ///   - filename: The file name to send. `nil` means none.
    ///   - contentType: The `Content-Type`. `nil` means the default.
    func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart]
}

extension Data: PartConvertible {
    /// Returns one part that contains the bytes.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        [.data(self, name: name, filename: filename, contentType: contentType)]
    }
}

extension String: PartConvertible {
    /// Returns one part: a field, or the bytes of the text if there is a file name or a type.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        guard filename != nil || contentType != nil else { return [.text(self, name: name)] }
        return [.data(Data(utf8), name: name, filename: filename, contentType: contentType)]
    }
}

extension URL: PartConvertible {
    /// Returns one part with the content of the file, which is never loaded into memory as a whole.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        [.file(self, name: name, filename: filename, contentType: contentType)]
    }
}

extension MultipartPart: PartConvertible {
    /// Returns the part itself, with its own name, file name and type.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] { [self] }
}

extension Optional: PartConvertible where Wrapped: PartConvertible {
    /// Returns the parts of the wrapped value, or none for `nil`.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        map { $0.multipartParts(name: name, filename: filename, contentType: contentType) } ?? []
    }
}

extension Array: PartConvertible where Element: PartConvertible {
    /// Returns the parts of all elements, in order.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        flatMap { $0.multipartParts(name: name, filename: filename, contentType: contentType) }
    }
}
