public import HalyardHTTP

/// The key by which a limit counts requests. Requests with equal keys share the limit.
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

    /// A key for each scheme, host and port of the URL, as it is sent.
    public static let host = RequestKey { .origin($0.origin) }

    /// A single key for all requests.
    public static let client = RequestKey { _ in .all }

    /// Returns custom keys. The closure returns the key of a request, or `nil` for one without a limit. Errors and log
    /// events show the key, so it should not be a secret. The closure runs for each request and should not block.
    public static func custom(_ key: @escaping @Sendable (HTTPRequest) -> String?) -> RequestKey {
        RequestKey { request in key(request).map(Value.named) }
    }
}
