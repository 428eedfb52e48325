package import HalyardFoundation
import HalyardHTTP

/// The properties of a provider, read once when a request starts, on the thread that starts it. Later changes apply to
/// the next request.
///
/// It is a class: all parts of a request share one instance and copy nothing.
package final class ProviderSnapshot: ProvidedValues {
    /// The provider, for its hooks.
    let provider: any HTTPProvider
    let baseURL: URL
    let headers: HTTPHeaders
    let params: Parameters
    /// Where the parameters go when the route has no encoding.
    let encoding: ParameterEncoding
    /// How lists are written when the route has no encoding: in the style of ``encoding``, or in that of GET when
    /// ``encoding`` is JSON, which has no style.
    let arrays: ParameterEncoding.ArrayStyle
    let client: HTTPClient
    let codec: Codec
    let secretNames: Set<String>
    let authentication: Authentication
    /// The options of the request's route.
    let options: RequestOptions
    /// The error types of the route, followed by the provider's.
    let failures: Failures
    /// Whether the route has a stub for dry mode.
    let hasStub: Bool
    /// `nil` when there is no log.
    package let log: RequestLog?

    /// Reads a provider. `route` is the route of the request. Its options take precedence over the provider's.
    package init(_ provider: any HTTPProvider, for route: Route, baseURL: URL? = nil) {
        self.provider = provider
        self.baseURL = baseURL ?? provider.baseURL
        headers = provider.additionalHeaders.asHeaders
        params = provider.additionalParams.asParameters
        encoding = provider.defaultEncoding(for: route.method)
        arrays = (encoding.place == .json ? provider.defaultEncoding(for: .get) : encoding).arrays
        let client = provider.client
        let options = route.options
        let codec = Codec(
            mapper: options.mapper ?? provider.mapper,
            serializers: provider.serializers.followed(by: client.configuration.serializers))
        self.codec = codec
        let stub = route.endpointOptions?.stub
        self.client = stub.map { stub in client.stubbedIfDry { try stub().written(by: codec) } } ?? client
        hasStub = stub != nil
        secretNames = Set(provider.secretNames)
        self.options = options
        let failures = provider.failures
        self.failures = options.failures.map { $0.followed(by: failures) } ?? failures
        authentication = provider.authentication
        log = RequestLog(provider.log)
    }
}
