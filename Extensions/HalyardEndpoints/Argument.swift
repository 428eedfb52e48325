public import HalyardCodable

/// What one value of a call is to the request: a piece of the path, a query, a field, a part, a header, the body.
///
/// ```swift
/// Endpoint(.put, "/users/{id}", .path("id", as: Int.self), .header("X-Reason"), .json(User.self))
/// ```
///
/// A value is a `String` unless the argument says `as:` what it is. One that is `nil` is left out, but for a path, which
/// must be filled: then the request fails.
public struct Argument<Value: Sendable>: Sendable {
    let places: [ArgumentPlace]
    private let write: @Sendable (Value, inout Draft) throws(HTTPError) -> Void

    init(_ places: [ArgumentPlace], _ write: @escaping @Sendable (Value, inout Draft) throws(HTTPError) -> Void) {
        self.places = places
        self.write = write
    }

    /// Adds a value; what is wrong with it is the draft's flaw.
    func add(_ value: Value, to draft: inout Draft) {
        do throws(HTTPError) { try write(value, &draft) } catch { draft.refuse(error) }
    }

    /// Adds a value.
    func put(_ value: Value, in draft: inout Draft) throws(HTTPError) { try write(value, &draft) }
}

/// Where a value goes, for the check of a declaration.
enum ArgumentPlace: Sendable, Hashable {
    case path(String)
    case query, field, part, header, body
}

extension Argument {
    /// The argument, filled by an optional: `nil` leaves it out, all of it where it is a group.
    public var optional: Argument<Value?> {
        Argument<Value?>(places) { value, draft throws(HTTPError) in
            if let value { try self.put(value, in: &draft) }
        }
    }
}

// One value as text: path, query, field, header.

extension Argument where Value == String {
    /// The piece of the path that stands there as `{name}`: text, escaped as one segment.
    public static func path(_ name: String) -> Argument { path(name, as: String.self) }
    /// A parameter of the query: text.
    public static func query(_ name: String) -> Argument { query(name, as: String.self) }
    /// A field of the body: text.
    public static func field(_ name: String) -> Argument { field(name, as: String.self) }
    /// A header field, over the provider's and the endpoint's own of that name: text.
    public static func header(_ name: String) -> Argument { header(name, as: String.self) }
}

extension Argument where Value: ParameterConvertible {
    /// The piece of the path that stands there as `{name}`, escaped as one segment. `nil`, a list and an object are no
    /// segment: the request fails with ``HTTPError`` of kind `invalidPath`.
    public static func path(_ name: String, as type: Value.Type) -> Argument {
        Argument([.path(name)]) { value, draft in draft.fill(name, value.parameterValue) }
    }

    /// A parameter of the query; `nil` is left out. A list is written in the array style of the endpoint's `encoding`, or
    /// of the provider's `defaultEncoding(for:)`: it repeats the name unless one of them says otherwise.
    public static func query(_ name: String, as type: Value.Type) -> Argument {
        Argument([.query]) { value, draft in draft.extras.query.append(value, for: name) }
    }

    /// A field of the body, in the endpoint's encoding; `nil` is left out.
    public static func field(_ name: String, as type: Value.Type) -> Argument {
        Argument([.field]) { value, draft in draft.pieces.append(.field(name, value.parameterValue)) }
    }

    /// A header field, over the provider's and the endpoint's own of that name; `nil` is left out.
    public static func header(_ name: String, as type: Value.Type) -> Argument {
        Argument([.header]) { value, draft throws(HTTPError) in try draft.setHeader(name, value.parameterValue) }
    }
}

extension Argument where Value == Parameters {
    /// Any number of parameters of the query, named by the call. Lists are written as those of ``query(_:as:)``.
    public static var queries: Argument {
        Argument([.query]) { value, draft in
            for item in value.items { draft.extras.query.append(item.value, for: item.name) }
        }
    }
}

// The body.

extension Argument where Value: Encodable {
    /// The body: a value as JSON, as the provider's mapper writes it; `nil` is no body.
    public static func json(_ type: Value.Type = Value.self) -> Argument {
        Argument([.body]) { value, draft in
            if !isNil(value) { draft.body = .json(value) }
        }
    }
}

extension Argument {
    /// The body: a value as the first of the provider's serializers writes it that knows its type, or as Halyard does;
    /// see `RouteBody.value(_:)`. `nil` is no body.
    public static func body(_ type: Value.Type) -> Argument {
        Argument([.body]) { value, draft in
            if !isNil(value) { draft.body = .value(value) }
        }
    }
}

extension Argument where Value == RouteBody {
    /// The body, made by the call: `.text("hello")`, `.file(url)`, `.stream(chunks)`.
    public static var body: Argument { Argument([.body]) { value, draft in draft.body = value } }
}

private func isNil(_ value: some Any) -> Bool { (value as? any Absentable)?.isAbsent ?? false }

private protocol Absentable {
    var isAbsent: Bool { get }
}

extension Optional: Absentable {
    fileprivate var isAbsent: Bool { self == nil }
}
