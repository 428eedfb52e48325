extension PartialDownload {
    /// The hash of what a request asks for: two that want another language are not for the same.
    package static func asked(_ request: HTTPRequest) -> String {
        let choices = ["Accept", "Accept-Language"].map { request.headers[$0] ?? "" }
        return SHA256Digest.name(of: ([request.address.text.withoutFragment] + choices).joined(separator: "\n"))
    }

    /// The hash of a place. Its query does not count: an address that was signed has another one each time.
    package static func source(_ request: HTTPRequest) -> String {
        SHA256Digest.name(of: String(request.address.text.withoutFragment.prefix { $0 != "?" }))
    }
}

extension String {
    fileprivate var withoutFragment: String { String(prefix { $0 != "#" }) }
}
