extension HTTPHeaders {
    /// The name of a header field: an RFC 9110 token. Names are case-insensitive. The original spelling is kept.
    public struct Name: Sendable {
        /// The name as it is sent over HTTP/1.1. HTTP/2 sends it in lower case.
        public let rawValue: String

        /// Makes a name.
        ///
        /// - Parameter rawValue: An RFC 9110 token; a space, a colon, a line break or a letter outside ASCII is not
        ///   allowed.
        /// - Throws: ``HTTPError`` of kind `invalidHeader` when `rawValue` is empty or not a token.
        public init(_ rawValue: String) throws(HTTPError) {
            guard rawValue.consists(of: .token) else {
                throw HTTPError(
                    .invalidHeader(rawValue),
                    reason: rawValue.isEmpty ? "its name is empty" : "its name is not a token")
            }
            self.rawValue = rawValue
        }

        init(_ bytes: UnsafeBufferPointer<UInt8>) throws(HTTPError) {
            let name = String(decoding: bytes, as: UTF8.self)
            guard !bytes.isEmpty, ASCIISet.token.prefixCount(of: bytes) == bytes.count else {
                throw HTTPError(
                    .invalidHeader(name), reason: bytes.isEmpty ? "its name is empty" : "its name is not a token")
            }
            rawValue = name
        }

        private init(known rawValue: String) { self.rawValue = rawValue }

        package func matches(_ name: String) -> Bool { rawValue.equalsIgnoringASCIICase(name) }

        /// The media types that the client accepts.
        public static let accept = Name(known: "Accept")
        /// The seconds since a cache got the response from its origin.
        package static let age = Name(known: "Age")
        /// The languages that the user prefers.
        public static let acceptLanguage = Name(known: "Accept-Language")
        /// Credentials.
        public static let authorization = Name(known: "Authorization")
        /// How caches may store the message.
        public static let cacheControl = Name(known: "Cache-Control")
        /// The length of the body in bytes. The engine sets it.
        public static let contentLength = Name(known: "Content-Length")
        /// The media type of the body.
        public static let contentType = Name(known: "Content-Type")
        /// Cookies for the server.
        public static let cookie = Name(known: "Cookie")
        /// The version of a resource, as an opaque tag.
        public static let etag = Name(known: "ETag")
        /// Requests the resource only if it still has one of these versions; otherwise the status is 412.
        public static let ifMatch = Name(known: "If-Match")
        /// Requests the resource only if it has changed since a date; otherwise the status is 304.
        public static let ifModifiedSince = Name(known: "If-Modified-Since")
        /// Requests the resource only if it has none of these versions; otherwise the status is 304.
        public static let ifNoneMatch = Name(known: "If-None-Match")
        /// When the resource last changed.
        public static let lastModified = Name(known: "Last-Modified")
        /// Links to related resources, such as the next page (RFC 8288).
        public static let link = Name(known: "Link")
        /// The URL of a redirect's target or of a new resource.
        public static let location = Name(known: "Location")
        /// The requested part of the resource.
        public static let range = Name(known: "Range")
        /// When to send the request again.
        public static let retryAfter = Name(known: "Retry-After")
        /// A cookie from the server.
        public static let setCookie = Name(known: "Set-Cookie")
        /// The name of the client program.
        public static let userAgent = Name(known: "User-Agent")
        /// How to authenticate.
        public static let wwwAuthenticate = Name(known: "WWW-Authenticate")
    }
}

extension HTTPHeaders.Name: Hashable {
    /// Compares without regard to the case of ASCII letters.
    public static func == (left: Self, right: Self) -> Bool { left.matches(right.rawValue) }

    /// Hashes the name in lower case.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte.lowercasedASCII) }
    }
}

extension HTTPHeaders.Name: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
