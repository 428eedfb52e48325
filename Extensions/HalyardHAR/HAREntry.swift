package import HalyardFoundation
package import HalyardHTTP
import HalyardSystem

/// A request and its response, as they are read from an HTTP Archive, version 1.2
/// (http://www.softwareishard.com/blog/har-12-spec/). Names in a file that start with an underscore are additions of
/// Halyard's and of browsers, which other programs ignore.
package struct HAREntry: Sendable {
    package struct Request: Sendable {
        package let method: String
        package let url: String
        package let headers: HTTPHeaders
        package let body: Data
    }

    /// A piece of a streamed body: the time since the head of the response in milliseconds, and the number of bytes.
    package typealias Chunk = (time: Double, size: Int)

    package let startedDateTime: String
    package let request: Request
    package let status: Int
    package let headers: HTTPHeaders
    /// The body of the response. `nil` if the archive does not have it.
    package let body: Data?
    package let chunks: [Chunk]

    /// Reads the entries of an archive. Those of browsers have further members, which are ignored. Throws
    /// `JSON.ParseError`, or ``HTTPError`` of kind `decoding`.
    package static func entries(of archive: Data) throws -> [HAREntry] {
        guard let entries = try JSON(parsing: archive)["log"]["entries"].array else {
            throw HTTPError(.decoding, reason: "there is no list log.entries")
        }
        return try entries.enumerated().map { index, json in
            guard let entry = HAREntry(json) else {
                throw HTTPError(.decoding, reason: "log.entries.\(index) lacks a method, a URL or a status")
            }
            return entry
        }
    }

    private init?(_ json: JSON) {
        let (request, response) = (json["request"], json["response"])
        guard let method = request["method"].string, let url = request["url"].string,
            let status = response["status"].int
        else { return nil }
        self.status = status
        startedDateTime = json["startedDateTime"].string ?? ""
        self.request = Request(
            method: method, url: url, headers: HTTPHeaders(archived: request["headers"]),
            body: Self.bytes(request["postData"], encoding: "_encoding") ?? Data())
        headers = HTTPHeaders(archived: response["headers"])
        let content = response["content"]
        body = Self.bytes(content, encoding: "encoding") ?? (content["size"].double ?? 0 > 0 ? nil : Data())
        chunks = (content["_chunks"].array ?? []).map { ($0["time"].double ?? 0, $0["size"].int ?? 0) }
    }

    private static func bytes(_ content: JSON, encoding: String) -> Data? {
        guard let text = content["text"].string else { return nil }
        return content[encoding] == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
    }
}

extension HTTPHeaders {
    /// Makes header fields of those in an archive. The pseudo-header fields of HTTP/2, which browsers record, and fields
    /// that are not valid are left out.
    fileprivate init(archived fields: JSON) {
        self.init()
        for field in fields.array ?? [] { try? append(field["value"].string ?? "", for: field["name"].string ?? "") }
    }
}

extension StringProtocol {
    /// Splits a query or a form into names and values, percent-decoded.
    package func queryItems(plusIsSpace: Bool) -> [(name: String, value: String)] {
        split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String(decoding: $0.utf8.percentDecoded(plusIsSpace: plusIsSpace), as: UTF8.self)
            }
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }
}

/// A file with an archive, which grows by one entry at a time. After each entry it is a complete archive.
package final class HARFile: Sendable {
    private let path: String
    private let descriptor: CInt
    /// The position of the text after the last entry.
    private let end = Lock(Int64(head.utf8.count))
    /// The first version is that of the format, the second that of Halyard's newest release in the changelog.
    private static let head = #"{"log":{"version":"1.2","creator":{"name":"Halyard","version":"0.1.0"},"entries":["#
    private static let tail = "\n]}}\n"

    /// Makes an empty archive. A file at its place is replaced. Missing folders are made. `url` is the file. Only its
    /// owner can read it (mode 0600), because bodies may be private. Throws ``HTTPError`` of kind `unwritableFile`.
    package init(_ url: URL) throws(HTTPError) {
        path = url.path(percentEncoded: false)
        try url.makeFolder()
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        // An existing file keeps its mode.
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            throw HTTPError(.unwritableFile(path), reason: systemReason())
        }
        try write(Self.head + Self.tail, at: 0)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends an entry. Throws ``HTTPError`` of kind `unwritableFile`.
    package func append(_ entry: JSON) throws(HTTPError) {
        try end.withLock { end throws(HTTPError) in
            let text = (end == Int64(Self.head.utf8.count) ? "\n" : ",\n") + "\(entry)"
            // One call writes the entry and the end of the archive, so that a program that stops leaves it complete.
            try write(text + Self.tail, at: end)
            end += Int64(text.utf8.count)
        }
    }

    private func write(_ text: String, at offset: Int64) throws(HTTPError) {
        var text = text
        let isWritten = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor, at: offset) }
        if !isWritten { throw HTTPError(.unwritableFile(path), reason: systemReason()) }
    }
}
