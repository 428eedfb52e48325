import HalyardFoundation
import HalyardHTTP

/// The file of a jar. It is replaced as a whole: after a crash it has either the old or the new content.
struct CookieFile: Sendable {
    private struct Content: Codable {
        var format = name
        var version = 1
        var cookies: [Record]

        static let name = "halyard-cookies"
    }

    /// A cookie in the file. Times are in seconds since 1970.
    private struct Record: Codable {
        var name, value, domain, path: String
        var isHostOnly, isSecure, isHTTPOnly: Bool
        var sameSite: String?
        var expires: Double
    }

    let url: URL
    private var path: String { url.path(percentEncoded: false) }
    private var prefix: String { ".\(url.lastPathComponent).halyard-" }

    /// Returns the cookies in the file. Empty if the file is missing or empty. Throws ``HTTPError`` of kind
    /// `unreadableFile` for a file of another kind, which must not be overwritten.
    func read() throws(HTTPError) -> [Cookie] {
        if url.isFileURL { AtomicFile.removeLeftovers(beside: url, prefix: prefix) }
        guard let data = try FileSource.read(url), !data.isEmpty else { return [] }
        // The decoder's own error is not used: it may contain parts of the file.
        guard let content = try? JSONDecoder().decode(Content.self, from: data), content.format == Content.name else {
            throw foreign("it is not a cookie jar, or it is corrupt")
        }
        guard content.version == 1 else { throw foreign("a later version of Halyard wrote it") }
        let cookies = content.cookies.compactMap(Self.cookie)
        guard cookies.count == content.cookies.count else { throw foreign("it has an invalid cookie") }
        return cookies.filter { $0.prefixViolation == nil }
    }

    private func foreign(_ reason: String) -> HTTPError {
        HTTPError(
            .unreadableFile(path), reason: reason,
            suggestion: "Use another file for the cookies, or move this one. It is not overwritten")
    }

    /// Writes the cookies that outlive the session, in their order. Only the user can read the file.
    func write(_ cookies: [Cookie]) throws(HTTPError) {
        let records = cookies.compactMap(Self.record)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let data: Data
        do { data = try encoder.encode(Content(cookies: records)) } catch {
            throw HTTPError(.unwritableFile(path), reason: "the cookies cannot be encoded", cause: error)
        }
        let file = try AtomicFile(url, prefix: prefix, isPrivate: true, isPatient: true)
        do { try data.withUnsafeBytes { try file.write($0) } } catch {
            throw error as? HTTPError ?? HTTPError(.unwritableFile(path), cause: error)
        }
        try file.commit(isDurable: true)
    }
}

extension CookieFile {
    private static func record(_ cookie: Cookie) -> Record? {
        guard let end = cookie.expires else { return nil }
        return Record(
            name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path,
            isHostOnly: cookie.isHostOnly, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            sameSite: cookie.sameSite?.rawValue, expires: end.timeIntervalSince1970)
    }

    private static func cookie(_ record: Record) -> Cookie? {
        guard CookieText.isValid(record.name, record.value), record.path.hasPrefix("/"), !record.domain.isEmpty,
            !(record.name + record.value).contains(";")
        else { return nil }
        return Cookie(
            name: record.name, value: record.value, domain: record.domain, isHostOnly: record.isHostOnly,
            path: record.path, expires: Date(timeIntervalSince1970: record.expires), isSecure: record.isSecure,
            isHTTPOnly: record.isHTTPOnly, sameSite: record.sameSite.map(Cookie.SameSite.init))
    }
}
