import HalyardFoundation
import HalyardHTTP

/// What a provider says, read once when a request starts, on the thread that starts it: what it says later is for the
/// next one. A class, for all that a request passes has it: they share one, and copy nothing.
package final class ProviderSnapshot: Sendable {
    /// Asked by its hooks alone.
    let provider: any HTTPProvider
    let baseURL: URL
    let headers: HTTPHeaders
    let params: Parameters
    /// Where the parameters of this route go, when it does not say.
    let encoding: ParameterEncoding
    /// How lists are written where the route does not say: in the style of ``encoding``, or in that of GET where
    /// ``encoding`` is JSON, which has none.
    let arrays: ParameterEncoding.ArrayStyle
    let client: HTTPClient
    let codec: Codec
    let secretNames: Set<String>
    let authentication: Authentication
    /// Nil when nobody listens.
    package let log: RequestLog?

    package init(_ provider: any HTTPProvider, for method: HTTPMethod, mapper: ObjectMapper?) {
        self.provider = provider
        baseURL = provider.baseURL
        headers = provider.headersOfAll
        params = provider.paramsOfAll
        encoding = provider.defaultEncoding(for: method)
        arrays = (encoding.place == .json ? provider.defaultEncoding(for: .get) : encoding).arrays
        client = provider.client._chosen
        codec = Codec(
            mapper: mapper ?? provider.mapper._chosen,
            serializers: provider.serializersOfAll.followed(by: client.configuration.serializers))
        secretNames = provider.secretNamesOfAll
        authentication = provider.authenticationOfAll
        log = provider.log(of: client)
    }
}

extension HTTPProvider {
    fileprivate var headersOfAll: HTTPHeaders { additionalHeaders._chosen }
    fileprivate var paramsOfAll: Parameters { additionalParams._chosen }
    fileprivate var serializersOfAll: Serializers { serializers._chosen }
    fileprivate var authenticationOfAll: Authentication { authentication._chosen }
    fileprivate var secretNamesOfAll: Set<String> { secretNames._chosen }

    /// The provider's own hook, or else the client's log: which of the two tells the type.
    fileprivate func log(of client: HTTPClient) -> RequestLog? {
        Logged.self == LoggedByClient.self ? RequestLog(client.log) : RequestLog { self.log($0) }
    }
}
