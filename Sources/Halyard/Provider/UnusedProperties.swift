import HalyardHTTP

/// Finds a stored property of a provider that has the name of a requirement, but does not implement it.
///
/// The compiler infers the types of a provider's properties. It cannot infer the type of `let mapper = Self.mapper`,
/// where a static property has the same name, and then uses the default without a warning. Only debug builds look for
/// such properties, because it takes microseconds for each request.
enum UnusedProperties {
    /// Returns the error of a request to a provider with an unused property. `nil` if there is none.
    static func error(of provider: any HTTPProvider, _ used: ProviderSnapshot) -> HTTPError? {
        for case (let name?, let value) in Mirror(reflecting: provider).children {
            guard let type = type(of: name, value, isUnusedIn: used) else { continue }
            return HTTPError(
                .configuration(name),
                reason:
                    "the compiler did not infer the type of \(Swift.type(of: provider)).\(name), and uses the default",
                suggestion: "Write the type: let \(name): \(type) = ...")
        }
        return nil
    }

    /// Returns the name of the type of a property whose value differs from the value in use. `nil` for any other.
    private static func type(of name: String, _ value: Any, isUnusedIn used: ProviderSnapshot) -> String? {
        switch (name, value) {
        case ("client", let value as HTTPClient) where value !== used.client && !used.client.isDry: "HTTPClient"
        case ("mapper", let value as ObjectMapper)
        where used.options.mapper == nil && value.reference !== used.codec.mapper.reference:
            "ObjectMapper"
        case ("failures", let value as Failures) where !value.isEmpty && used.failures.isEmpty: "Failures"
        case ("authentication", let value as Authentication)
        where value.authenticator != nil && used.authentication.authenticator == nil:
            "Authentication"
        case ("additionalHeaders", let value as any _ProviderHeaders)
        where !value._value.isEmpty && used.headers.isEmpty:
            "HTTPHeaders"
        case ("additionalParams", let value as any _ProviderParams) where !value._value.isEmpty && used.params.isEmpty:
            "Parameters"
        case ("secretNames", let value as any _ProviderSecretNames)
        where !value._value.isEmpty && used.secretNames.isEmpty:
            "[String]"
        case ("serializers", let value as any _ProviderSerializers)
        where !value._value.isEmpty && used.codec.serializers.isEmpty:
            "Serializers"
        default: nil
        }
    }
}
