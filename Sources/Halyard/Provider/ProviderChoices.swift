public import HalyardHTTP

// The types that a provider's properties may have. There is one protocol for each property, because the compiler's
// message about a property of a wrong type names the protocol.
//
// The protocols constrain associated types. They are not the types of requirements: with a requirement `var client:
// HTTPClient`, a property of another type would be ignored, and the default would be used without a warning.
//
// The names begin with an underscore, so that they do not appear on the arrays and dictionaries of a program.

/// The type of a provider's `client`: an ``HTTPClient``.
public protocol _ProviderClient: Sendable {
    /// Returns the client for Halyard's own use.
    var _value: HTTPClient { get }
}

/// The type of a provider's `mapper`: an ``ObjectMapper``.
public protocol _ProviderMapper: Sendable {
    /// Returns the mapper for Halyard's own use.
    var _value: ObjectMapper { get }
}

/// The type of a provider's `serializers`: ``Serializers``, or an array of serializers of one type.
public protocol _ProviderSerializers: Sendable {
    /// Returns the serializers for Halyard's own use.
    var _value: Serializers { get }
}

/// The type of a provider's `secretNames`: an array or a set of strings.
public protocol _ProviderSecretNames: Sendable {
    /// Returns the names for Halyard's own use.
    var _value: Set<String> { get }
}

/// The type of a provider's `failures`: ``Failures``.
public protocol _ProviderFailures: Sendable {
    /// Returns the error types for Halyard's own use.
    var _value: Failures { get }
}

/// The type of a provider's `authentication`: an ``Authentication``.
public protocol _ProviderAuthentication: Sendable {
    /// Returns the authentication for Halyard's own use.
    var _value: Authentication { get }
}

/// The type of a provider's `additionalHeaders`: ``HTTPHeaders``, or a dictionary of strings.
public protocol _ProviderHeaders: Sendable {
    /// Returns the header fields for Halyard's own use.
    var _value: HTTPHeaders { get }
}

/// The type of a provider's `additionalParams`: ``Parameters``, or a dictionary with values of one type.
public protocol _ProviderParams: Sendable {
    /// Returns the parameters for Halyard's own use.
    var _value: Parameters { get }
}

extension HTTPClient: _ProviderClient {
    /// Returns the client for Halyard's own use.
    public var _value: HTTPClient { self }
}

extension ObjectMapper: _ProviderMapper {
    /// Returns the mapper for Halyard's own use.
    public var _value: ObjectMapper { self }
}

extension Failures: _ProviderFailures {
    /// Returns the error types for Halyard's own use.
    public var _value: Failures { self }
}

extension Authentication: _ProviderAuthentication {
    /// Returns the authentication for Halyard's own use.
    public var _value: Authentication { self }
}

extension Serializers: _ProviderSerializers {
    /// Returns the serializers for Halyard's own use.
    public var _value: Serializers { self }
}

extension Array: _ProviderSerializers where Element: Serializer {
    /// Returns the serializers for Halyard's own use.
    public var _value: Serializers { Serializers(self) }
}

extension Array: _ProviderSecretNames where Element == String {
    /// Returns the names for Halyard's own use.
    public var _value: Set<String> { isEmpty ? [] : Set(self) }
}

extension Set: _ProviderSecretNames where Element == String {
    /// Returns the names for Halyard's own use.
    public var _value: Set<String> { self }
}

extension HTTPHeaders: _ProviderHeaders {
    /// Returns the header fields for Halyard's own use.
    public var _value: HTTPHeaders { self }
}

extension Dictionary: _ProviderHeaders where Key == String, Value == String {
    /// Returns the header fields, in the order of their names. A name or value that is not valid fails the request.
    public var _value: HTTPHeaders { HTTPHeaders(self) }
}

extension Parameters: _ProviderParams {
    /// Returns the parameters for Halyard's own use.
    public var _value: Parameters { self }
}

extension Dictionary: _ProviderParams where Key == String, Value: ParameterConvertible {
    /// Returns the parameters, in the order of their names.
    public var _value: Parameters { Parameters(self) }
}
