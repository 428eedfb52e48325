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
        if let length = try headers.statedLength() { headers[.contentLength] = String(length) }
        return headers
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
            if cookies.isEmpty || (isCookie && String(Substring(name.utf8.trimmingBlanks)).consists(of: .token)) {
                cookies.append(String(part))
            } else {
                cookies[cookies.count - 1] += "," + part
            }
        }
        return cookies.map { String(Substring($0.utf8.trimmingBlanks)) }
    }
}
