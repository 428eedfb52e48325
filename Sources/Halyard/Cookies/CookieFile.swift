import HalyardFoundation
import HalyardHTTP

/// The file of a jar. It is replaced as a whole: after a crash it has either the old or the new content.
struct CookieFile: Sendable {
    let file: RecordFile

    init(url: URL) { file = RecordFile(url: url, format: "halyard-cookies", content: "cookies") }

    /// Returns the cookies in the file. Empty if the file is missing or empty. Throws ``HTTPError`` of kind
    /// `unreadableFile` for a file of another kind, which must not be overwritten.
    func read() throws(HTTPError) -> [Cookie] {
        try file.read(Self.cookie).filter { $0.prefixViolation == nil }
    }

    /// Writes the cookies that outlive the session, in their order. Only the user can read the file.
    func write(_ cookies: [Cookie]) throws(HTTPError) { try file.write(cookies.compactMap(Self.record)) }
}

extension CookieFile {
    /// A cookie in the file. Times are in seconds since 1970. `nil` for one that ends with the session.
    private static func record(_ cookie: Cookie) -> JSON? {
        // JSON has no infinite numbers.
        guard let end = cookie.expires.map({ min(max($0, .distantPast), .distantFuture) }) else { return nil }
        return [
            "name": JSON(cookie.name), "value": JSON(cookie.value), "domain": JSON(cookie.domain),
            "path": JSON(cookie.path), "isHostOnly": JSON(cookie.isHostOnly), "isSecure": JSON(cookie.isSecure),
            "isHTTPOnly": JSON(cookie.isHTTPOnly), "sameSite": JSON(cookie.sameSite?.rawValue),
            "expires": JSON(end.timeIntervalSince1970),
        ]
    }

    private static func cookie(_ record: JSON) -> Cookie? {
        guard let name = record["name"].string, let value = record["value"].string, CookieText.isValid(name, value),
            let domain = record["domain"].string, !domain.isEmpty, let path = record["path"].string,
            path.hasPrefix("/"), let isHostOnly = record["isHostOnly"].bool, let isSecure = record["isSecure"].bool,
            let isHTTPOnly = record["isHTTPOnly"].bool, let end = record["expires"].double,
            !(name + value).contains(";")
        else { return nil }
        return Cookie(
            name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
            expires: Date(timeIntervalSince1970: end), isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            sameSite: record["sameSite"].string.map(Cookie.SameSite.init))
    }
}
