public import Halyard
import HalyardHAR
import HalyardHTTP

/// A condition on a request, in addition to a stub's method and path.
///
/// ```swift
/// stub.on(.get, "/users", where: [.query("page", "2"), .header("Accept", "application/json")], .json(users))
///     .on(.post, "/users", where: [.json("Ann", at: "name")], .status(409))
/// ```
///
/// If several stubs have the same path, the one with the most conditions is used.
public struct StubCondition: Sendable {
    /// What the condition demands, such as `the query's page is "2"`.
    let description: String
    /// The description with the secrets, to tell conditions apart.
    let identity: String
    /// Returns what the request has instead. `nil` if the condition is met.
    let mismatch: @Sendable (RecordedRequest) -> String?

    /// Requires that a query parameter has a value, percent-decoded. If it has several values, one must be equal.
    public static func query(_ name: String, _ value: String) -> StubCondition {
        StubCondition("the query's \(name)", isSecret: Redaction().names.containsParameter(name), value) { request in
            request.queryItems.filter { $0.name == name }.map(\.value)
        }
    }

    /// Requires that the query has no parameter with a name.
    public static func noQuery(_ name: String) -> StubCondition {
        StubCondition(description: "the query has no \(name)") { request in
            request.queryValue(name) == nil ? nil : "it has one"
        }
    }

    /// Requires that a header has a value.
    public static func header(_ name: String, _ value: String) -> StubCondition {
        StubCondition("the header field \(name)", isSecret: Redaction().names.containsField(name), value) { request in
            request.headers.filter { $0.name.rawValue.equalsIgnoringASCIICase(name) }.map(\.value)
        }
    }

    /// Requires that a form field has a value. The body must be `application/x-www-form-urlencoded`.
    public static func form(_ name: String, _ value: String) -> StubCondition {
        StubCondition("the form's \(name)", isSecret: Redaction().names.containsParameter(name), value) { request in
            request.text.queryItems(plusIsSpace: true).filter { $0.name == name }.map(\.value)
        }
    }

    /// Requires that the body contains a text.
    public static func body(containing text: String) -> StubCondition {
        StubCondition(description: "the body contains \"\(text)\"") { request in
            request.text.contains(text) ? nil : "it has \(request.body.count) bytes without it"
        }
    }

    /// Requires that the body is JSON with a value at a path. Members may be in any order.
    ///
    /// - Parameter keyPath: The path. See `HTTPResponse/object(_:at:mapper:)`. Defaults to the whole body.
    public static func json(_ value: JSON, at keyPath: String = "") -> StubCondition {
        let place = keyPath.isEmpty ? "the JSON" : "the JSON's \(keyPath)"
        let (path, isSecret) = (JSONPath(keyPath), Redaction().names.contains(keyPath))
        return StubCondition(
            description: "\(place) is \(isSecret ? Redaction.mark : "\(value)")", identity: "\(place) is \(value)"
        ) { request in
            guard let json = try? request.json() else { return "the body is not JSON" }
            let found = (try? path.value(in: json)) ?? .null
            if found == value { return nil }
            return isSecret ? "it differs" : "it is \(String("\(found)".prefix(200)))"
        }
    }

    /// Requires that the request meets a custom condition.
    ///
    /// - Parameters:
    ///   - description: What the condition requires, for messages: `the user is an administrator`.
    ///   - predicate: Returns whether the condition is met. It may also run for requests to other stubs.
    public static func matching(
        _ description: String, _ predicate: @escaping @Sendable (RecordedRequest) -> Bool
    ) -> StubCondition {
        StubCondition(description: description) { predicate($0) ? nil : "it is not so" }
    }

    private init(
        description: String, identity: String? = nil, _ mismatch: @escaping @Sendable (RecordedRequest) -> String?
    ) {
        self.description = description
        self.identity = identity ?? description
        self.mismatch = mismatch
    }

    /// Makes a condition on one of several values with a name. The value of a secret is not shown.
    private init(
        _ place: String, isSecret: Bool, _ value: String, _ values: @escaping @Sendable (RecordedRequest) -> [String]
    ) {
        let shown = isSecret ? Redaction.mark : "\"\(value)\""
        self.init(description: "\(place) is \(shown)", identity: "\(place) is \"\(value)\"") { request in
            let found = values(request)
            if found.contains(value) { return nil }
            if found.isEmpty { return "it is missing" }
            return isSecret ? "it differs" : "it is \(found.map { "\"\($0)\"" }.joined(separator: ", "))"
        }
    }
}
