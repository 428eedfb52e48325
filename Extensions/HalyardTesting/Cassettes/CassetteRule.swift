import Halyard
import HalyardFoundation
import HalyardHTTP

/// A part that a request and a recorded request must have in common for a ``Cassette`` to replay the response.
///
/// ```swift
/// try Cassette("search", matching: [.method, .path, .query(ignoring: ["now"]), .body])
/// ```
///
/// Secrets are masked in both requests before they are compared.
public struct CassetteRule: Sendable {
    /// Returns how two requests differ, as part of a sentence. `nil` if they agree.
    let difference: @Sendable (_ recorded: RecordedRequest, _ sent: RecordedRequest) -> String?

    /// The method.
    public static let method = CassetteRule("its method") { $0.method.rawValue }

    /// The URL with its query, in the same order.
    public static let url = CassetteRule("its URL") { $0.target }

    /// The origin of the URL: scheme, host and port.
    public static let origin = CassetteRule("its origin") { String($0.target.prefix($0.pathStart)) }

    /// The path of the URL. With this rule and ``query``, an API that was recorded on one host can be replayed for
    /// another, such as a test server.
    public static let path = CassetteRule("its path") { request in
        String(request.target.dropFirst(request.pathStart).prefix { $0 != "?" && $0 != "#" })
    }

    /// The query parameters, in any order.
    public static let query = query(ignoring: [])

    /// The query parameters, in any order, except those with certain names.
    public static func query(ignoring names: Set<String>) -> CassetteRule {
        CassetteRule("its query") { request in
            let pairs = request.queryItems.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
            return pairs.sorted().joined(separator: "&")
        }
    }

    /// The value of a header.
    public static func header(_ name: String) -> CassetteRule {
        CassetteRule("its header field \(name)") { $0.headers[name] ?? "" }
    }

    /// The body. JSON members may be in any order, and a multipart form may have a different boundary.
    public static let body = CassetteRule { recorded, sent in
        let bodies = [recorded, sent].map(\.comparableBody)
        if bodies[0] == bodies[1] { return nil }
        return "its body is \(bodies[0].excerpt) and not \(bodies[1].excerpt)"
    }

    /// Returns a custom rule.
    ///
    /// - Parameters:
    ///   - description: The part that differs, for messages: `its user`.
    ///   - value: Returns the value that both requests must have in common, or `nil` for none. The URL and the headers
    ///     contain no secrets.
    public static func comparing(
        _ description: String, _ value: @escaping @Sendable (RecordedRequest) -> String?
    ) -> CassetteRule {
        CassetteRule(description) { value($0) ?? "" }
    }

    private init(_ difference: @escaping @Sendable (RecordedRequest, RecordedRequest) -> String?) {
        self.difference = difference
    }

    private init(_ name: String, _ value: @escaping @Sendable (RecordedRequest) -> String) {
        self.init { recorded, sent in
            let (old, new) = (value(recorded), value(sent))
            return old == new ? nil : "\(name) is \(old.isEmpty ? "empty" : old) and not \(new.isEmpty ? "empty" : new)"
        }
    }
}

extension RecordedRequest {
    /// The number of characters before the path.
    fileprivate var pathStart: Int {
        let start = target.firstRange(of: "://")?.upperBound ?? target.startIndex
        let end = target[start...].firstIndex { "/?#".contains($0) } ?? target.endIndex
        return target.distance(from: target.startIndex, to: end)
    }

    /// The body in a form in which equal bodies are equal.
    fileprivate var comparableBody: Data {
        if let json = try? JSON(parsing: body) { return json.sorted.encoded() }
        guard let boundary = headers.boundary else { return body }
        return Data(Array(body).replacing(Array(boundary.utf8), with: Array("boundary".utf8)))
    }
}

extension JSON {
    /// The same value with the members of all objects in the order of their names.
    fileprivate var sorted: JSON {
        switch self {
        case .object(let members):
            .object(JSON.Object(members.sorted { $0.key < $1.key }.map { ($0.key, $0.value.sorted) }))
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }
}

extension Data {
    /// The start of a body, for a message.
    fileprivate var excerpt: String {
        if isEmpty { return "empty" }
        guard let text = String(utf8: self) else { return "\(count) bytes" }
        return text.count > 200 ? text.prefix(200) + "..." : text
    }
}
