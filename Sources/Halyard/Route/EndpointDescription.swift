public import HalyardHTTP

/// The declaration of an endpoint, as a test's stub uses it. An `Endpoint` of HalyardEndpoints has one.
public protocol EndpointDescription<Output> {
    /// The type of the result.
    associatedtype Output

    /// The method.
    var method: HTTPMethod { get }
    /// The path below the provider's base URL, with a name in braces for each value: `/users/{id}`.
    var pathTemplate: String { get }
    /// The path of the result in the response's JSON, such as `data.items`. Empty for the whole body, the default.
    var keyPath: String { get }
}

extension EndpointDescription {
    /// The whole body.
    public var keyPath: String { "" }
}

extension Route {
    /// The path of the route without the query, percent-encoded. Of an absolute URL that after the host.
    package var targetPath: String {
        switch target {
        case .path(let path): return path.path
        case .absolute(let url):
            let local = url.prefix { $0 != "?" && $0 != "#" }
            let afterScheme = local.firstRange(of: "://").map { local[$0.upperBound...] } ?? local
            return String(afterScheme.drop { $0 != "/" })
        }
    }
}
