import HalyardFoundation

// Test failures and debuggers print values. No description shows a secret.

extension HTTPRequest: CustomStringConvertible {
    /// Method, URL, the names of the header fields and the length of the body. Secrets in the URL are masked.
    public var description: String {
        let length = body.map { ", \($0.length.map { "\($0) bytes" } ?? "a stream")" }
        return "\(method) \(Redaction(secretNames).url(address.text)) \(headers)\(length ?? "")"
    }
}

extension HTTPResponse: CustomStringConvertible {
    /// Status, URL without the query, the names of the header fields and the length of the body.
    public var description: String {
        "\(status) \(RedactedAddress.of( address.text)) \(headers), \(data.count) bytes"
    }
}

extension HTTPRequest: SafelyDescribed {}
extension HTTPResponse: SafelyDescribed {}

extension HTTPResponse.Redirection: SafelyDescribed {
    /// Status and both URLs. Secrets are masked: `302 https://a.example/?token=*** → https://b.example/`.
    public var description: String {
        let redaction = Redaction(secretNames)
        return "\(status) \(redaction.url(from.absoluteString)) → \(redaction.url(to.absoluteString))"
    }
}
