package import HalyardFoundation
import HalyardHTTP
import HalyardSystem

/// An HTTP Archive, version 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Names in a file that start with an
/// underscore are additions of Halyard's and of browsers, which other programs ignore.
///
/// This is an archive that is read. ``HARFile`` writes one.
package struct HARDocument: Decodable, Sendable {
    package let log: Log

    package struct Log: Decodable, Sendable {
        package let entries: [HAREntry]
    }

    /// Reads an archive. Archives of browsers have further members, which are ignored. Throws `DecodingError`.
    package init(_ data: Data) throws { self = try Self.mapper.decode(HARDocument.self, from: data) }

    /// Writes and reads archives.
    static let mapper = ObjectMapper()
}

/// A request and its response in an archive. Times are in milliseconds.
package struct HAREntry: Codable, Sendable {
    package var startedDateTime: String
    package var time: Double
    package var request: Request
    package var response: Response
    // Archives of other programs may lack them.
    package var cache: Cache? = Cache()
    package var timings: Timings?
    package var serverIPAddress: String?
    package var connection: String?

    /// Halyard keeps no cache.
    package struct Cache: Codable, Sendable {}

    package struct NameValue: Codable, Sendable, Hashable {
        package var name: String
        package var value: String
    }

    package struct Request: Codable, Sendable {
        package var method: String
        package var url: String
        package var httpVersion: String
        package var cookies: [NameValue]
        package var headers: [NameValue]
        package var queryString: [NameValue]
        package var postData: PostData?
        package var headersSize: Int
        package var bodySize: Int64
    }

    package struct PostData: Codable, Sendable {
        package var mimeType: String
        package var text: String?
        /// `base64` for a body that is not text. The standard has no such member.
        package var encoding: String?

        private enum CodingKeys: String, CodingKey {
            case mimeType, text
            case encoding = "_encoding"
        }
    }

    package struct Response: Codable, Sendable {
        package var status: Int
        package var statusText: String
        package var httpVersion: String
        package var cookies: [NameValue]
        package var headers: [NameValue]
        package var content: Content
        package var redirectURL: String
        package var headersSize: Int
        package var bodySize: Int64
        /// The error in place of a response, as browsers write it. The status is 0.
        package var error: String?

        private enum CodingKeys: String, CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
            case error = "_error"
        }
    }

    package struct Content: Codable, Sendable {
        package var size: Int64
        package var mimeType: String
        package var text: String?
        /// `base64` for a body that is not text.
        package var encoding: String?
        /// The pieces in which a streamed body arrived.
        package var chunks: [Chunk]?

        private enum CodingKeys: String, CodingKey {
            case size, mimeType, text, encoding
            case chunks = "_chunks"
        }
    }

    package struct Chunk: Codable, Sendable {
        /// The time since the head of the response.
        package var time: Double
        /// The number of bytes.
        package var size: Int

        package init(time: Double, size: Int) { (self.time, self.size) = (time, size) }
    }

    package struct Timings: Codable, Sendable {
        // -1 for a phase that the request did not have.
        package var blocked: Double? = -1
        package var dns: Double? = -1
        package var connect: Double? = -1
        package var ssl: Double? = -1
        package var send = 0.0
        package var wait = 0.0
        package var receive = 0.0
    }
}

extension HAREntry.Content {
    /// The bytes of the body. `nil` if the archive does not have them.
    package var data: Data? {
        guard let text else { return size <= 0 ? Data() : nil }
        return encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
    }
}

extension HAREntry.PostData {
    /// The bytes of the body. `nil` if the archive does not have them.
    package var data: Data? {
        guard let text else { return nil }
        return encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8)
    }
}

/// A file with an archive, which grows by one entry at a time. After each entry it is a complete archive.
package final class HARFile: Sendable {
    private struct State: Sendable {
        /// The position of the text after the last entry.
        var end: Int64 = 0
        var isEmpty = true
    }

    private let path: String
    private let descriptor: CInt
    private let state = Lock(State())
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
        try state.withLock { state throws(HTTPError) in
            try write(Self.head + Self.tail, at: 0)
            state.end = Int64(Self.head.utf8.count)
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Appends an entry. Throws `EncodingError`, or ``HTTPError`` of kind `unwritableFile`.
    package func append(_ entry: HAREntry) throws {
        let json = String(decoding: try HARDocument.mapper.encode(entry), as: UTF8.self)
        try state.withLock { state in
            let text = (state.isEmpty ? "\n" : ",\n") + json
            // One call writes the entry and the end of the archive, so that a program that stops leaves it complete.
            try write(text + Self.tail, at: state.end)
            state.end += Int64(text.utf8.count)
            state.isEmpty = false
        }
    }

    private func write(_ text: String, at offset: Int64) throws(HTTPError) {
        var text = text
        let isWritten = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: descriptor, at: offset) }
        if !isWritten { throw HTTPError(.unwritableFile(path), reason: systemReason()) }
    }
}
