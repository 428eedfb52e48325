import HalyardHTTP

extension HTTPRequest {
    /// The maximum size of a request line with its header fields in libcurl, in bytes (`DYN_HTTP_REQUEST`).
    private static let headLimit = 1 << 20

    /// Replaces libcurl's error for a request whose head exceeds libcurl's limit: before 8.6 "Out of memory" (27),
    /// since then "A value or data field grew larger than allowed" (100). Nothing was sent.
    ///
    /// The size is computed only after a failure, so that other requests do not pay for it.
    ///
    /// - Returns: An error of kind `invalidURL` or `invalidHeader`; `nil` if the size was not the reason.
    func headTooLarge(for error: HTTPError) -> HTTPError? {
        guard error.response == nil, [.engine(code: 27), .engine(code: 100)].contains(error.kind) else { return nil }
        let address = address.text.utf8.count
        var (size, largest, name) = (address, 0, "")
        for field in headers {
            let count = field.name.rawValue.utf8.count + field.value.utf8.count + 4
            size += count
            if count > largest { (largest, name) = (count, field.name.rawValue) }
        }
        // The engine's own fields, such as `Host`, are small.
        guard size > Self.headLimit - 4096 else { return nil }
        return HTTPError(
            address > largest ? .invalidURL(self.address.text) : .invalidHeader(name),
            reason:
                "the URL and the header fields have \(size) bytes, and libcurl sends \(Self.headLimit) bytes at most",
            suggestion: "Move large values to the body", request: self)
    }
}
