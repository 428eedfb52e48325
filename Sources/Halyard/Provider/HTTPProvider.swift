public import HalyardFoundation
public import HalyardHTTP

/// What an API is: its base URL, what every request to it carries, and what counts as success. A value.
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
/// The conformance may stand with the type as well. In an extension, beside the hooks, it has the compiler warn of a
/// hook that is nearly right; one that is further off is never asked, in silence. A property of a wrong type is an error
/// in either place.
///
/// All of it is read when a request starts, so a computed `baseURL` or token is always the newest.
public protocol HTTPProvider: HTTPProviderChoices
where
    AdditionalHeaders: _ProviderHeaders, AdditionalParams: _ProviderParams,
    ChosenClient: _ProviderClient, ChosenMapper: _ProviderMapper,
    ChosenSerializers: _ProviderSerializers, ChosenAuthentication: _ProviderAuthentication,
    ChosenSecretNames: _ProviderSecretNames
{
    /// Where the API is: an absolute http or https URL, with or without a slash at its end. A query in it is kept.
    var baseURL: URL { get }

    /// How parameters are written when the route does not say: JSON for POST and PUT, in the query for all others.
    ///
    /// Its array style is that of every list that is written for the method: in a query, a form and a multipart form. JSON
    /// has no style; where it is the encoding of the method, lists in a query are written as those of GET.
    func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding

    /// Decides whether a response is a success: throw what it is instead, an error of the API's own for one.
    ///
    /// Asked once for every response that comes. The default is `response.requireSuccess()`: 2xx. The body of a success
    /// that goes to a file or a stream is not there to look at: `response.data` is empty then, `response.json()` throws.
    func validate(_ response: HTTPResponse) async throws

    /// Decides whether a failure reaches whoever asked. With `false` callbacks stay silent, while awaits and futures
    /// end with ``HTTPError`` of kind `stopped`: nothing hangs.
    ///
    /// Asked once for every request that fails while it is built, sent or validated; never about cancellation. The
    /// default is true.
    func shouldContinue(with error: any Error) async -> Bool
}

/// The properties of ``HTTPProvider`` that have a default: conform to that, not to this.
///
/// They stand apart, where nothing is known of their types, so that one of a wrong type is an error: were the types named
/// here, such a property would count as another, and the default would be used in silence.
public protocol HTTPProviderChoices: Sendable {
    /// ``HTTPHeaders``, or a dictionary of strings.
    associatedtype AdditionalHeaders = HTTPHeaders
    /// ``Parameters``, or a dictionary with values of one type.
    associatedtype AdditionalParams = Parameters
    /// ``HTTPClient``.
    associatedtype ChosenClient = HTTPClient
    /// ``ObjectMapper``.
    associatedtype ChosenMapper = ObjectMapper
    /// ``Serializers``, or an array of one's own serializers of one type.
    associatedtype ChosenSerializers = Serializers
    /// ``Authentication``.
    associatedtype ChosenAuthentication = Authentication
    /// Strings, in an array or a set.
    associatedtype ChosenSecretNames = [String]
    /// `Void` where the provider has a ``log(_:)`` of its own.
    associatedtype Logged = LoggedByClient

    /// Header fields of every request; a route's own of the same name win. None unless given.
    var additionalHeaders: AdditionalHeaders { get }
    /// Parameters of every request, written as the route's own are, which win. None unless given. Values of several
    /// types are written `let additionalParams: Parameters = ["token": "x", "v": 2]`.
    var additionalParams: AdditionalParams { get }
    /// What sends the requests. ``HTTPClient/shared`` unless given.
    var client: ChosenClient { get }
    /// How objects are read and written when the route does not say. Milliseconds for dates, unless given.
    var mapper: ChosenMapper { get }
    /// How values of other types are written and read, before all that Halyard knows. None unless given.
    var serializers: ChosenSerializers { get }
    /// Who one is to the API: credentials for its own origin. None unless given.
    var authentication: ChosenAuthentication { get }
    /// Names of header fields, parameters and members of JSON whose values are secrets, beside those that are well
    /// known, such as `Authorization` or `password`: no log line, error or curl line shows them. None unless given.
    var secretNames: ChosenSecretNames { get }

    /// Is told what happens to each request. The default tells the client's log; `func log(_ event: LogEvent) {}`
    /// silences it for this provider.
    ///
    /// It is called where the event happens, by several threads at once, and must return soon: the request waits.
    @discardableResult
    func log(_ event: LogEvent) -> Logged
}

extension HTTPProviderChoices where AdditionalHeaders == HTTPHeaders {
    /// None.
    public var additionalHeaders: HTTPHeaders { [:] }
}

extension HTTPProviderChoices where AdditionalParams == Parameters {
    /// None.
    public var additionalParams: Parameters { [:] }
}

extension HTTPProviderChoices where ChosenClient == HTTPClient {
    /// The client that all providers share.
    public var client: HTTPClient { .shared }
}

extension HTTPProviderChoices where ChosenMapper == ObjectMapper {
    /// Dates as milliseconds since 1970, keys as they are written.
    public var mapper: ObjectMapper { .standard }
}

extension HTTPProviderChoices where ChosenAuthentication == Authentication {
    /// None.
    public var authentication: Authentication { .none }
}

extension HTTPProviderChoices where ChosenSerializers == Serializers {
    /// None but Halyard's own.
    public var serializers: Serializers { .standard }
}

extension HTTPProviderChoices where ChosenSecretNames == [String] {
    /// None but those that are well known.
    public var secretNames: [String] { [] }
}

extension HTTPProvider where Logged == LoggedByClient {
    /// Tells the client's log.
    @discardableResult
    public func log(_ event: LogEvent) -> LoggedByClient {
        client._chosen.log(event)
        return LoggedByClient()
    }
}

/// What a provider without a `log(_:)` of its own gives back: so no event is made for a log that is silent.
public struct LoggedByClient: Sendable {}

extension HTTPProvider {
    /// JSON for POST and PUT, the query for all others.
    public func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding {
        method == .post || method == .put ? .json : .url
    }

    /// Requires a 2xx.
    public func validate(_ response: HTTPResponse) async throws { try response.requireSuccess() }

    /// Always.
    public func shouldContinue(with error: any Error) async -> Bool { true }
}
