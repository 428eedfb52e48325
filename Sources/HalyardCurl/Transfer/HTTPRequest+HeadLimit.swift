import HalyardHTTP

extension HTTPRequest {
    /// The most bytes of a request line with its header fields that libcurl sends (`DYN_HTTP_REQUEST`).
    private static let headLimit = 1 << 20

    /// The error for a request whose head libcurl has no room for, in place of libcurl's own words: before 8.6 "Out of
    /// memory" (27), since then "A value or data field grew larger than allowed" (100). Nothing was sent.
    ///
    /// Looked at only where a request has failed, so that no other one is measured.
    ///
    /// - Returns: nil for another error.
    func headTooLarge(for error: HTTPError) -> HTTPError? {
        guard error.response == nil, [.engine(code: 27), .engine(code: 100)].contains(error.kind) else { return nil }
        let address = address.text.utf8.count
        var (size, largest, name) = (address, 0, "")
        for field in headers {
            let count = field.name.rawValue.utf8.count + field.value.utf8.count + 4
            size += count
            if count > largest { (largest, name) = (count, field.name.rawValue) }
        }
        // What the engine adds is small: `Host`, `User-Agent`, `Accept`.
        guard size > Self.headLimit - 4096 else { return nil }
        return HTTPError(
            address > largest ? .invalidURL(self.address.text) : .invalidHeader(name),
            reason:
                "the URL and the header fields have \(size) bytes, and libcurl sends \(Self.headLimit) bytes at most",
            suggestion: "Send what is large in the body", request: self)
    }
}
