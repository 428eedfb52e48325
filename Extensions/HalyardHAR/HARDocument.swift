package import HalyardFoundation

/// An HTTP Archive, version 1.2 (http://www.softwareishard.com/blog/har-12-spec/). Names in a file that start with an
/// underscore are additions of Halyard's and of browsers, which other programs ignore.
///
/// This is an archive that is read. ``HARFile`` writes one.
package struct HARDocument: Decodable, Sendable {
    package let log: Log

    package struct Log: Decodable, Sendable {
        package let entries: [HAREntry]
    }

    /// Reads an archive. Archives of browsers have further members, which are ignored.
    ///
    /// - Parameter data: JSON in UTF-8.
    /// - Throws: `DecodingError`.
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
