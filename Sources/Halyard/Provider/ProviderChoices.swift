public import HalyardHTTP

// A constraint of conformance rather than of sameness: so a property of another type is tried, found wanting and named.
// One protocol for each property, as the compiler's message names the protocol, not the property.

/// What a provider may give as its `client`: an ``HTTPClient``.
public protocol ProviderClient: Sendable {
    /// The client.
    var chosen: HTTPClient { get }
}

/// What a provider may give as its `delivery`: a ``Delivery``.
public protocol ProviderDelivery: Sendable {
    /// The delivery.
    var chosen: Delivery { get }
}

/// What a provider may give as its `mapper`: an ``ObjectMapper``, also one of a decoder and an encoder of your own.
public protocol ProviderMapper: Sendable {
    /// The mapper.
    var chosen: ObjectMapper { get }
}

/// What a provider may give as its `serializers`: ``Serializers``, or an array whose elements are of one type.
public protocol ProviderSerializers: Sendable {
    /// The serializers.
    var chosen: Serializers { get }
}

/// What a provider may give as its `secretNames`: an array or a set of strings.
public protocol ProviderSecretNames: Sendable {
    /// The names.
    var chosen: Set<String> { get }
}

extension Array: ProviderSecretNames where Element == String {
    /// The same, each once.
    public var chosen: Set<String> { isEmpty ? [] : Set(self) }
}

extension Set: ProviderSecretNames where Element == String {
    /// Itself.
    public var chosen: Set<String> { self }
}

/// What a provider may give as its `authentication`: an ``Authentication``.
public protocol ProviderAuthentication: Sendable {
    /// The authentication.
    var chosen: Authentication { get }
}

extension Authentication: ProviderAuthentication {
    /// Itself.
    public var chosen: Authentication { self }
}

extension HTTPClient: ProviderClient {
    /// Itself.
    public var chosen: HTTPClient { self }
}

extension Delivery: ProviderDelivery {
    /// Itself.
    public var chosen: Delivery { self }
}

extension ObjectMapper: ProviderMapper {
    /// Itself.
    public var chosen: ObjectMapper { self }
}

extension Serializers: ProviderSerializers {
    /// Itself.
    public var chosen: Serializers { self }
}

extension Array: ProviderSerializers where Element: Serializer {
    /// The same, in its order.
    public var chosen: Serializers { Serializers(self) }
}

/// What a provider may give as its `additionalHeaders`: ``HTTPHeaders``, or a dictionary of strings.
public protocol HTTPHeadersConvertible: Sendable {
    /// The header fields.
    var headers: HTTPHeaders { get }
}

extension HTTPHeaders: HTTPHeadersConvertible {
    /// Itself.
    public var headers: HTTPHeaders { self }
}

extension Dictionary: HTTPHeadersConvertible where Key == String, Value == String {
    /// The dictionary's entries in order of their names. One that is no header fails the request.
    public var headers: HTTPHeaders { HTTPHeaders(lenient: sorted { $0.key < $1.key }.map { ($0.key, $0.value) }) }
}
