import Halyard
import HalyardFoundation
import HalyardHAR
import HalyardHTTP

/// What a request and a recorded request must have in common, so that a ``Cassette`` replays the response.
///
/// ```swift
/// try Cassette("search", matching: [.method, .path, .query(ignoring: ["now"]), .body])
/// ```
///
/// Secrets are masked in both requests before they are compared.
public struct CassetteRule: Sendable {
    /// Returns how two requests differ, as part of a sentence. `nil` if they agree.
    let difference: @Sendable (_ recorded: HAREntry.Request, _ sent: HAREntry.Request) -> String?

    /// The method.
    public static let method = CassetteRule("its method") { $0.method }

    /// The URL with its query, in the same order.
    public static let url = CassetteRule("its URL") { $0.url }

    /// The origin of the URL: scheme, host and port.
    public static let origin = CassetteRule("its origin") { String($0.url.prefix($0.pathStart)) }

    /// The path of the URL. With it and ``query``, an API that was recorded on one host is replayed for another, such
    /// as a server for tests.
    public static let path = CassetteRule("its path") { request in
        String(request.url.dropFirst(request.pathStart).prefix { $0 != "?" && $0 != "#" })
    }

    /// The parameters of the query, in any order.
    public static let query = query(ignoring: [])

    /// The parameters of the query, in any order, without some.
    public static func query(ignoring names: Set<String>) -> CassetteRule {
        CassetteRule("its query") { request in
            let pairs = request.queryString.filter { !names.contains($0.name) }.map { "\($0.name)=\($0.value)" }
            return pairs.sorted().joined(separator: "&")
        }
    }

    /// A header field.
    public static func header(_ name: String) -> CassetteRule {
        CassetteRule("its header field \(name)") { request in
            request.headers.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value).joined(separator: ", ")
        }
    }

    /// The body. JSON may have its members in any order, and a multipart form may have another boundary.
    public static let body = CassetteRule { recorded, sent in
        let bodies = [recorded, sent].map(\.comparableBody)
        if bodies[0] == bodies[1] { return nil }
        return "its body is \(bodies[0].excerpt) and not \(bodies[1].excerpt)"
    }

    /// A condition of your own.
    ///
    /// - Parameters:
    ///   - description: What differs, for messages: `its user`.
    ///   - value: Returns the value that both requests must have in common. The URL and the header fields have no
    ///     secrets. Return `nil` for none.
    public static func comparing(
        _ description: String, _ value: @escaping @Sendable (RecordedRequest) -> String?
    ) -> CassetteRule {
        CassetteRule(description) { value(RecordedRequest($0)) ?? "" }
    }

    private init(_ difference: @escaping @Sendable (HAREntry.Request, HAREntry.Request) -> String?) {
        self.difference = difference
    }

    private init(_ name: String, _ value: @escaping @Sendable (HAREntry.Request) -> String) {
        self.init { recorded, sent in
            let (old, new) = (value(recorded), value(sent))
            return old == new ? nil : "\(name) is \(old.isEmpty ? "empty" : old) and not \(new.isEmpty ? "empty" : new)"
        }
    }
}

extension HAREntry.Request {
    /// The number of characters before the path.
    fileprivate var pathStart: Int {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return url.distance(from: url.startIndex, to: url[start...].firstIndex { "/?#".contains($0) } ?? url.endIndex)
    }

    /// The body in a form in which equal bodies are equal.
    fileprivate var comparableBody: Data {
        guard let data = postData?.data, !data.isEmpty else { return Data() }
        if let json = try? JSON(parsing: data) { return json.sorted.encoded() }
        guard let boundary = HTTPHeaders(headers).boundary else { return data }
        return Data(Array(data).replacing(Array(boundary.utf8), with: Array("boundary".utf8)))
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

extension RecordedRequest {
    fileprivate init(_ request: HAREntry.Request) {
        self.init(
            method: (try? HTTPMethod(request.method)) ?? .get, target: request.url,
            headers: HTTPHeaders(request.headers), body: request.postData?.data ?? Data())
    }
}
