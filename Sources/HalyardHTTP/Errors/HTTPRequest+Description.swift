// Values are printed in passing, by a failed expectation for one: none of them shows a secret.

extension HTTPRequest: CustomStringConvertible {
    /// Method, URL, the names of the header fields and the length of the body. No secret of the URL.
    public var description: String {
        let length = body.map { ", \($0.length.map { "\($0) bytes" } ?? "a stream")" }
        return "\(method) \(Redaction(secretNames).url(address.text)) \(headers)\(length ?? "")"
    }
}

extension HTTPResponse: CustomStringConvertible {
    /// Status, where it came from without the query, the names of the header fields and the length of the body.
    public var description: String {
        "\(status) \(Redaction.address(of: address.text)) \(headers), \(data.count) bytes"
    }
}

extension HTTPHeaders.Field: CustomStringConvertible {
    /// The name. No value: it could be a secret.
    public var description: String { name.rawValue }
}
