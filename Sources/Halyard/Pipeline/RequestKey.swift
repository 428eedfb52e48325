public import HalyardHTTP

/// What a limit counts requests by. Requests with equal keys share the limit.
///
/// ```swift
/// let perTenant = RequestKey.custom { request in request.headers["X-Tenant"] }
/// ```
public struct RequestKey: Sendable {
    /// The key of one request.
    package enum Value: Hashable, Sendable, CustomStringConvertible {
        case origin(Origin)
        case all
        case named(String)

        package var description: String {
            switch self {
            case .origin(let origin): "\(origin)"
            case .all: "this client"
            case .named(let name): name
            }
        }
    }

    /// Returns the key of a request. `nil` for a request without a limit.
    package let value: @Sendable (HTTPRequest) -> Value?

    /// The scheme, host and port of the URL, as it is sent.
    public static let host = RequestKey { .origin($0.origin) }

    /// One key for all requests.
    public static let client = RequestKey { _ in .all }

    /// Keys of your own: the closure returns the key of a request, or `nil` for a request without a limit. Errors and
    /// log events show the key, so it should not be a secret. The closure runs for each request and should not block.
    public static func custom(_ key: @escaping @Sendable (HTTPRequest) -> String?) -> RequestKey {
        RequestKey { request in key(request).map(Value.named) }
    }
}
