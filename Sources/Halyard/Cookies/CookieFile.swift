import HalyardFoundation
import HalyardHTTP

/// The file of a jar. It is replaced as a whole: after a crash it has either the old or the new content.
struct CookieFile: Sendable {
    private static let format = "halyard-cookies"

    let url: URL
    private var path: String { url.path(percentEncoded: false) }
    private var prefix: String { ".\(url.lastPathComponent).halyard-" }

    /// Returns the cookies in the file. Empty if the file is missing or empty. Throws ``HTTPError`` of kind
    /// `unreadableFile` for a file of another kind, which must not be overwritten.
    func read() throws(HTTPError) -> [Cookie] {
        if url.isFileURL { AtomicFile.removeLeftovers(beside: url, prefix: prefix) }
        guard let data = try FileSource.read(url), !data.isEmpty else { return [] }
        // The parser's own error is not used: it may contain a part of the file.
        guard let json = try? JSON(parsing: data), json["format"].string == Self.format,
            let records = json["cookies"].array
        else { throw foreign("it is not a cookie jar, or it is corrupt") }
        guard json["version"].int == 1 else { throw foreign("a later version of Halyard wrote it") }
        let cookies = records.compactMap(Self.cookie)
        guard cookies.count == records.count else { throw foreign("it has an invalid cookie") }
        return cookies.filter { $0.prefixViolation == nil }
    }

    private func foreign(_ reason: String) -> HTTPError {
        HTTPError(
            .unreadableFile(path), reason: reason,
            suggestion: "Use another file for the cookies, or move this one. It is not overwritten")
    }

    /// Writes the cookies that outlive the session, in their order. Only the user can read the file.
    func write(_ cookies: [Cookie]) throws(HTTPError) {
        let records = JSON.array(cookies.compactMap(Self.record))
        let json: JSON = ["format": .string(Self.format), "version": 1, "cookies": records]
        let data = Data(json.prettyPrinted.utf8)
        let file = try AtomicFile(url, prefix: prefix, isPrivate: true, isPatient: true)
        do { try data.withUnsafeBytes { try file.write($0) } } catch {
            throw error as? HTTPError ?? HTTPError(.unwritableFile(path), cause: error)
        }
        try file.commit(isDurable: true)
    }
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
