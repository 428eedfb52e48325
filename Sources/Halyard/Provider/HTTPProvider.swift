public import HalyardFoundation
public import HalyardHTTP

/// A value type that describes an API: its base URL, what every request contains, and which responses count as success.
///
/// Only ``baseURL`` has no default:
///
/// ```swift
/// struct MusicAPI {
///     let baseURL = URL(string: "https://api.example.com/v1")!
///     let additionalHeaders = ["Accept-Language": "en"]
///     let additionalParams = ["token": "d71106a0"]
/// }
///
/// extension MusicAPI: HTTPProvider {
///     func validate(_ response: HTTPResponse) async throws {
///         try response.requireSuccess()
///         if let code = try? response.json()["error"]["code"].int { throw MusicError(code: code) }
///     }
/// }
/// ```
///
/// Declare the conformance in the extension that contains the hooks, as shown here. The compiler then warns about a
/// hook whose name or type is nearly right. As with every Swift protocol that has defaults, a property with a different
/// name or type is ignored: write `let serializers: Serializers = [XML()]`.
///
/// Halyard reads the properties when a request starts, so a computed `baseURL` or token is up to date.
public protocol HTTPProvider: Sendable {
    /// The type of the headers: ``HTTPHeaders`` or a dictionary.
    associatedtype AdditionalHeaders: NamedValues = HTTPHeaders
    /// The type of the parameters: ``Parameters`` or a dictionary.
    associatedtype AdditionalParams: NamedValues = Parameters

    /// The URL of the API: an absolute http or https URL, with or without a trailing slash. Its query, if any, is kept.
    var baseURL: URL { get }
    /// The headers of every request. A route's header with the same name takes precedence. Defaults to none.
    var additionalHeaders: AdditionalHeaders { get }
    /// The parameters of every request. A route's parameter with the same name takes precedence. They use the route's
    /// encoding. Defaults to none.
    ///
    /// If the values have several types, declare the type: `let additionalParams: Parameters = ["token": "x", "v": 2]`.
    var additionalParams: AdditionalParams { get }
    /// The client that sends the requests. Defaults to ``HTTPClient/shared``.
    var client: HTTPClient { get }
    /// The log that receives the events of each request. Defaults to the client's log. `let log = EventLog.silent`
    /// disables logging for this provider.
    var log: EventLog { get }
    /// The mapper for objects. A route's mapper takes precedence. Defaults to ``ObjectMapper/standard``, which reads
    /// dates as ISO 8601 text or as milliseconds since 1970, and writes milliseconds.
    var mapper: ObjectMapper { get }
    /// The serializers that write and read values of other types. They take precedence over the types that Halyard
    /// supports. Defaults to none.
    var serializers: Serializers { get }
    /// The credentials for the API's own origin. Defaults to none.
    var authentication: Authentication { get }
    /// Additional names of headers, parameters and JSON members whose values are secrets. Logs, errors and curl
    /// commands mask these values. Defaults to none. Well-known names, such as `Authorization` and `password`, are
    /// always masked.
    var secretNames: [String] { get }
    /// The error types that turn the body of a failure into your own error. A route's error types take precedence.
    /// Defaults to ``Failures/none``: every failure is an ``HTTPError``.
    var failures: Failures { get }

    /// Returns the parameter encoding for routes that do not set one. Defaults to JSON for POST, PUT and PATCH, and to
    /// the query for all other methods.
    ///
    /// Its array style applies to every list that is written for the method: in a query, a form and a multipart form.
    /// JSON has no array style. If the method's encoding is JSON, lists in a query are written as for GET.
    func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding

    /// Decides whether a response is a success. If it is not, throw the error of the request, which can be of any type.
    /// Defaults to `response.requireSuccess()`, which requires a 2xx status.
    ///
    /// Halyard calls it once, for the final response of a request: not for redirects that are followed or responses
    /// that are retried. If the body of a 2xx response goes to a file or a stream, the response does not contain it:
    /// `response.data` is empty, and `response.json()` throws.
    func validate(_ response: HTTPResponse) async throws

    /// Decides whether a failure is delivered to the caller. Defaults to `true`.
    ///
    /// Halyard calls it once for every request that fails while being built, sent or validated, but not after a
    /// cancellation. If you return `false`, the error is dropped: no handlers are called, and awaits and futures fail
    /// with ``HTTPError`` of kind `stopped`.
    func shouldContinue(with error: any Error) async -> Bool
}

// The defaults, which the requirements describe.
extension HTTPProvider {
    /// No headers.
    public var additionalHeaders: HTTPHeaders { [:] }
    /// No parameters.
    public var additionalParams: Parameters { [:] }
    /// The client that all providers share.
    public var client: HTTPClient { .shared }
    /// The client's log.
    public var log: EventLog { client.log }
    /// The standard mapper.
    public var mapper: ObjectMapper { .standard }
    /// No serializers besides Halyard's own.
    public var serializers: Serializers { .standard }
    /// No credentials.
    public var authentication: Authentication { .none }
    /// No names besides the well-known ones.
    public var secretNames: [String] { [] }
    /// No error types.
    public var failures: Failures { .none }

    /// Returns JSON for POST, PUT and PATCH, and the query for all other methods.
    public func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding {
        method == .post || method == .put || method == .patch ? .json : .url
    }

    /// Requires a 2xx status. Any other status is an ``HTTPError`` of kind `status`.
    public func validate(_ response: HTTPResponse) async throws { try response.requireSuccess() }

    /// Returns `true`.
    public func shouldContinue(with error: any Error) async -> Bool { true }
}

/// Values that a provider can add to every request: ``HTTPHeaders``, ``Parameters``, or a dictionary with string keys.
public protocol NamedValues: Sendable {
    /// The values as headers. An invalid name or value fails the request.
    var asHeaders: HTTPHeaders { get }
    /// The values as parameters.
    var asParameters: Parameters { get }
}

extension HTTPHeaders: NamedValues {
    /// The headers themselves.
    public var asHeaders: HTTPHeaders { self }
    /// The headers as text parameters.
    public var asParameters: Parameters {
        reduce(into: Parameters()) { $0.append($1.value, for: $1.name.rawValue) }
    }
}

extension Parameters: NamedValues {
    /// The values as text. A list becomes several headers with the same name. A file or an object fails the request.
    public var asHeaders: HTTPHeaders {
        items.reduce(into: HTTPHeaders()) { headers, item in
            let values: [ParameterValue] =
                if case .list(let values) = item.value.storage { values } else { [item.value] }
            for value in values { headers.appendLeniently(value.text, for: item.name) }
        }
    }
    /// The parameters themselves.
    public var asParameters: Parameters { self }
}

extension Dictionary: NamedValues where Key == String, Value: ParameterConvertible {
    /// The headers, ordered by name.
    public var asHeaders: HTTPHeaders { (self as? [String: String]).map(HTTPHeaders.init) ?? asParameters.asHeaders }
    /// The parameters, ordered by name.
    public var asParameters: Parameters { Parameters(self) }
}

/// A provider for requests to absolute URLs. It has no hooks and adds nothing to requests.
///
/// ```swift
/// DefaultProvider.request("https://example.com/api/user/1").responseJSON { print($0.result) }
/// ```
public struct DefaultProvider: HTTPProvider {
    /// The client that sends the requests.
    public let client: HTTPClient

    /// A placeholder: routes of this provider have absolute URLs.
    public let baseURL = URL(filePath: "/")
    /// The text of the placeholder.
    static let placeholderBase = "file:///"

    /// Creates a provider.
    public init(client: HTTPClient = .shared) { self.client = client }
}
