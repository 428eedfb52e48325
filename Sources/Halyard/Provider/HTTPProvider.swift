public import HalyardFoundation
public import HalyardHTTP

/// A description of an API: its base URL, what every request contains, and which responses are a success. A value.
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
/// Declare the conformance in the extension that has the hooks, as here. The compiler then warns about a hook whose
/// name or type is nearly right. A hook with a very different name is ignored. A property of a wrong type does not
/// compile. A misspelled property compiles but is ignored.
///
/// The properties are read when a request starts, so that a computed `baseURL` or token is up to date.
public protocol HTTPProvider: HTTPProviderChoices
where
    AdditionalHeaders: _ProviderHeaders, AdditionalParams: _ProviderParams,
    ChosenClient: _ProviderClient, ChosenMapper: _ProviderMapper,
    ChosenSerializers: _ProviderSerializers, ChosenAuthentication: _ProviderAuthentication,
    ChosenSecretNames: _ProviderSecretNames, ChosenFailures: _ProviderFailures
{
    /// The URL of the API: an absolute http or https URL, with or without a slash at its end. A query in it is kept.
    var baseURL: URL { get }

    /// Returns the encoding of parameters for routes that have none. Defaults to JSON for POST, PUT and PATCH, and to
    /// the query for all other methods.
    ///
    /// Its array style applies to every list that is written for the method: in a query, a form and a multipart form.
    /// JSON has no array style. If it is the encoding of the method, lists in a query are written as those of GET.
    ///
    /// - Parameter method: The method of the request.
    /// - Returns: The encoding.
    func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding

    /// Decides whether a response is a success. Defaults to `response.requireSuccess()`, which requires a 2xx status.
    ///
    /// It is called once, for the final response of a request: not for redirects that are followed or responses that
    /// are retried. The body of a 2xx response that goes to a file or a stream is not in the response: `response.data`
    /// is empty, and `response.json()` throws.
    ///
    /// - Parameter response: The response.
    /// - Throws: The error of the request, if the response is not a success. It may be of any type.
    func validate(_ response: HTTPResponse) async throws

    /// Decides whether a failure is delivered to the caller. Defaults to `true`.
    ///
    /// It is called once for every request that fails while it is built, sent or validated. It is not called after a
    /// cancellation.
    ///
    /// - Parameter error: The error of the request.
    /// - Returns: `false` to drop the error. Handlers are then not called. Awaits and futures fail with ``HTTPError``
    ///   of kind `stopped`.
    func shouldContinue(with error: any Error) async -> Bool
}

/// The properties of ``HTTPProvider`` that have a default. Conform to ``HTTPProvider`` instead.
///
/// This protocol does not constrain the types of the properties. A property of a wrong type therefore does not compile.
/// If the requirements had fixed types, the compiler would ignore such a property and use the default implementation.
public protocol HTTPProviderChoices: Sendable {
    /// The type of the header fields: ``HTTPHeaders``, or a dictionary of strings.
    associatedtype AdditionalHeaders = HTTPHeaders
    /// The type of the parameters: ``Parameters``, or a dictionary with values of one type.
    associatedtype AdditionalParams = Parameters
    /// The type of the client: ``HTTPClient``.
    associatedtype ChosenClient = HTTPClient
    /// The type of the mapper: ``ObjectMapper``.
    associatedtype ChosenMapper = ObjectMapper
    /// The type of the serializers: ``Serializers``, or an array of serializers of one type.
    associatedtype ChosenSerializers = Serializers
    /// The type of the credentials: ``Authentication``.
    associatedtype ChosenAuthentication = Authentication
    /// The type of the secret names: an array or a set of strings.
    associatedtype ChosenSecretNames = [String]
    /// The type of the error types: ``Failures``.
    associatedtype ChosenFailures = Failures
    /// The result of ``log(_:)``: `Void` for a provider that implements it.
    associatedtype Logged = _LoggedByClient

    /// Header fields of every request. A route's field of the same name takes precedence. Defaults to none.
    var additionalHeaders: AdditionalHeaders { get }
    /// Parameters of every request. A route's parameter of the same name takes precedence. They are written with the
    /// encoding of the route. Defaults to none.
    ///
    /// For values of several types name the type: `let additionalParams: Parameters = ["token": "x", "v": 2]`.
    var additionalParams: AdditionalParams { get }
    /// The client that sends the requests. Defaults to ``HTTPClient/shared``.
    var client: ChosenClient { get }
    /// How objects are read and written. A route's mapper takes precedence. Defaults to ``ObjectMapper/standard``,
    /// which writes dates as milliseconds since 1970.
    var mapper: ChosenMapper { get }
    /// How values of other types are written and read. They take precedence over the types that Halyard supports.
    /// Defaults to none.
    var serializers: ChosenSerializers { get }
    /// Credentials for the API's own origin. Defaults to none.
    var authentication: ChosenAuthentication { get }
    /// Further names of header fields, parameters and JSON members whose values are secrets. Logs, errors and curl
    /// commands mask these values. Defaults to none. Well-known names, such as `Authorization` and `password`, are
    /// always masked.
    var secretNames: ChosenSecretNames { get }
    /// How the body of a failure becomes an error of your own. A route's error types take precedence. Defaults to
    /// ``Failures/none``: every failure is an ``HTTPError``.
    var failures: ChosenFailures { get }

    /// Receives the events of each request. The default passes them to the client's log. `func log(_ event: LogEvent)
    /// {}` disables the log for this provider.
    ///
    /// It is called on the thread of the event, by several threads at once. The request waits until it returns.
    ///
    /// - Parameter event: The event.
    /// - Returns: `Void`, or the marker of the default implementation.
    @discardableResult
    func log(_ event: LogEvent) -> Logged
}

extension HTTPProviderChoices where AdditionalHeaders == HTTPHeaders {
    /// No header fields.
    public var additionalHeaders: HTTPHeaders { [:] }
}

extension HTTPProviderChoices where AdditionalParams == Parameters {
    /// No parameters.
    public var additionalParams: Parameters { [:] }
}

extension HTTPProviderChoices where ChosenClient == HTTPClient {
    /// The client that all providers share.
    public var client: HTTPClient { .shared }
}

extension HTTPProviderChoices where ChosenMapper == ObjectMapper {
    /// The standard mapper. It reads dates as ISO 8601 text or as milliseconds since 1970, and writes milliseconds.
    /// Names are as in the type.
    public var mapper: ObjectMapper { .standard }
}

extension HTTPProviderChoices where ChosenAuthentication == Authentication {
    /// No credentials.
    public var authentication: Authentication { .none }
}

extension HTTPProviderChoices where ChosenSerializers == Serializers {
    /// No serializers beside Halyard's own.
    public var serializers: Serializers { .standard }
}

extension HTTPProviderChoices where ChosenFailures == Failures {
    /// No error types.
    public var failures: Failures { .none }
}

extension HTTPProviderChoices where ChosenSecretNames == [String] {
    /// No names beside the well-known ones.
    public var secretNames: [String] { [] }
}

extension HTTPProvider where Logged == _LoggedByClient {
    /// Passes the event to the client's log.
    ///
    /// - Parameter event: The event.
    /// - Returns: A marker of the default implementation.
    @discardableResult
    public func log(_ event: LogEvent) -> _LoggedByClient {
        client._value.log(event)
        return _LoggedByClient()
    }
}

/// The result of the default ``HTTPProviderChoices/log(_:)``. It tells at compile time that the provider has no log of
/// its own, so that no event is made if the client's log is silent.
public struct _LoggedByClient: Sendable {}

extension HTTPProvider {
    /// Returns JSON for POST, PUT and PATCH, and the query for all other methods.
    ///
    /// - Parameter method: The method of the request.
    /// - Returns: The encoding.
    public func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding {
        method == .post || method == .put || method == .patch ? .json : .url
    }

    /// Requires a 2xx status.
    ///
    /// - Parameter response: The response.
    /// - Throws: ``HTTPError`` of kind `status` for any other status.
    public func validate(_ response: HTTPResponse) async throws { try response.requireSuccess() }

    /// Returns `true`.
    ///
    /// - Parameter error: The error.
    /// - Returns: `true`.
    public func shouldContinue(with error: any Error) async -> Bool { true }
}
