import HalyardFoundationNetworking
import HalyardHTTP

extension HTTPURLResponse {
    /// Returns the header fields sorted by name, because URLSession loses their order. Each `Set-Cookie` is a field of
    /// its own. `limit` is the maximum size of all fields, in bytes. Throws ``HTTPError`` of kind `headersTooLarge`, or
    /// `invalidResponse` for an invalid status, field or length.
    func checkedHeaders(limit: Int) throws(HTTPError) -> HTTPHeaders {
        guard (100..<1000).contains(statusCode) else {
            throw HTTPError(.invalidResponse, reason: "the status is \(statusCode)")
        }
        var pairs: [(String, String)] = []
        var size = 0
        for (name, value) in allHeaderFields {
            guard let name = name as? String, let value = value as? String else { continue }
            size += name.utf8.count + value.utf8.count + 4  // The colon, the space and the line break.
            let isCookie = name.equalsIgnoringASCIICase("Set-Cookie")
            for part in isCookie ? value.splitCookies() : [value] { pairs.append((name, part)) }
        }
        if size > limit { throw HTTPError(.headersTooLarge(limit: limit)) }

        var headers = HTTPHeaders()
        for (name, value) in pairs.sorted(by: { $0.0 < $1.0 }) {
            do { try headers.append(value, for: name) } catch {
                throw HTTPError(.invalidResponse, reason: "the header \(name.quoted): \(error.reason ?? "")")
            }
        }
        try headers.joinLengths()
        return headers
    }
}

extension HTTPHeaders {
    /// Replaces several equal lengths by one (RFC 9112 section 6.3). With different lengths the end of the body is
    /// unknown. Throws ``HTTPError`` of kind `invalidResponse`.
    fileprivate mutating func joinLengths() throws(HTTPError) {
        guard let text = self[.contentLength] else { return }
        let lengths = Set(text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimming(" ") })
        guard let length = lengths.first, lengths.count == 1, let bytes = Int64(length), bytes >= 0 else {
            throw HTTPError(.invalidResponse, reason: "the Content-Length is \(text.quoted)")
        }
        self[.contentLength] = String(bytes)
    }
}

extension String {
    /// Splits cookies that were joined by commas. A comma begins a new cookie if a name and `=` follow. The comma
    /// inside a date is not followed by these.
    func splitCookies() -> [String] {
        var cookies: [String] = []
        for part in split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }
            let isCookie = name.endIndex < part.endIndex && part[name.endIndex] == "="
            if cookies.isEmpty || (isCookie && name.trimming(" ").consists(of: .token)) {
                cookies.append(String(part))
            } else {
                cookies[cookies.count - 1] += "," + part
            }
        }
        return cookies.map { String($0.trimming(" ")) }
    }
}

extension StringProtocol {
    fileprivate func trimming(_ blank: Character) -> String {
        String(drop { $0 == blank }.reversed().drop { $0 == blank }.reversed())
    }
}
