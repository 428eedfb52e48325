#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// `dump`, `String(reflecting:)`, debuggers and test failures walk through the fields of a value: those of a type with
// secrets show its description instead.

extension Mirror {
    /// The mirror of a value that shows its description alone.
    package init(described value: some CustomStringConvertible) {
        self.init(value, children: ["description": value.description])
    }
}

extension HTTPRequest: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPResponse: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPResponse.Redirection: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status and both URLs, the secrets in them masked: `302 https://a.example/?token=*** → https://b.example/`.
    public var description: String {
        let redaction = Redaction(secretNames)
        return "\(status) \(redaction.url(from.absoluteString)) → \(redaction.url(to.absoluteString))"
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPResponse.Informational: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and the names of the header fields.
    public var description: String { "\(status) \(headers)" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPHeaders: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPHeaders.Field: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The length.
    public var description: String { length.map { "\($0) bytes" } ?? "a stream" }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPError: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension HTTPError.Kind: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension EngineConfiguration.Proxy: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension EngineConfiguration.ClientCertificate: CustomDebugStringConvertible, CustomReflectable {
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}

extension EngineConfiguration.Roots: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where the roots come from, without their text, which may have a private key beside them.
    public var description: String {
        switch self {
        case .system: "the system's roots"
        case .file(let url): url.path(percentEncoded: false)
        case .pem(let text): "\(text.utf8.count) bytes of PEM"
        }
    }
    /// The same as ``description``.
    public var debugDescription: String { description }
    /// Shows the ``description`` alone, so that `dump` prints no secret.
    public var customMirror: Mirror { Mirror(described: self) }
}
