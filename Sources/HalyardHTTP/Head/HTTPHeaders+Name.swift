extension HTTPHeaders {
    /// The name of a header field: an RFC 9110 token, equal in either case, written as it was given.
    public struct Name: Sendable {
        /// The name as it goes on the wire over HTTP/1.1 (HTTP/2 makes it lower case).
        public let rawValue: String

        /// Checks a name.
        ///
        /// - Throws: ``HTTPError`` of kind `invalidHeader` when it is empty or not a token: a blank, a colon, a line
        ///   break or a letter outside ASCII has no place in a header name.
        init(checking rawValue: String) throws(Fault) {
            guard rawValue.consists(of: .token) else {
                throw Fault(
                    .invalidHeader(rawValue),
                    reason: rawValue.isEmpty ? "its name is empty" : "its name is not a token")
            }
            self.rawValue = rawValue
        }

        /// Checks a name as it came over the wire.
        init(checking bytes: UnsafeBufferPointer<UInt8>) throws(Fault) {
            let name = String(decoding: bytes, as: UTF8.self)
            guard !bytes.isEmpty, ASCIISet.token.prefixCount(of: bytes) == bytes.count else {
                throw Fault(
                    .invalidHeader(name), reason: bytes.isEmpty ? "its name is empty" : "its name is not a token")
            }
            rawValue = name
        }

        private init(known rawValue: String) { self.rawValue = rawValue }

        package func matches(_ name: String) -> Bool { rawValue.equalsIgnoringASCIICase(name) }

        /// What the client can take.
        public static let accept = Name(known: "Accept")
        /// The languages that the user reads.
        public static let acceptLanguage = Name(known: "Accept-Language")
        /// Credentials.
        public static let authorization = Name(known: "Authorization")
        /// How long a response may be kept, and by whom.
        public static let cacheControl = Name(known: "Cache-Control")
        /// The length of the body in bytes. Halyard sets it.
        public static let contentLength = Name(known: "Content-Length")
        /// The media type of the body.
        public static let contentType = Name(known: "Content-Type")
        /// Cookies for the server.
        public static let cookie = Name(known: "Cookie")
        /// The version of a resource, opaque.
        public static let etag = Name(known: "ETag")
        /// Answer only if the resource still has one of these versions; else the status is 412.
        public static let ifMatch = Name(known: "If-Match")
        /// Answer only if the resource has changed since that date; else the status is 304.
        public static let ifModifiedSince = Name(known: "If-Modified-Since")
        /// Answer only if the resource has none of these versions; else the status is 304.
        public static let ifNoneMatch = Name(known: "If-None-Match")
        /// When the resource changed.
        public static let lastModified = Name(known: "Last-Modified")
        /// What belongs to the resource, as its next page (RFC 8288).
        public static let link = Name(known: "Link")
        /// Where else the resource is.
        public static let location = Name(known: "Location")
        /// The part of the resource that is asked for.
        public static let range = Name(known: "Range")
        /// When to ask again.
        public static let retryAfter = Name(known: "Retry-After")
        /// A cookie from the server.
        public static let setCookie = Name(known: "Set-Cookie")
        /// The program that asks.
        public static let userAgent = Name(known: "User-Agent")
        /// How to authenticate.
        public static let wwwAuthenticate = Name(known: "WWW-Authenticate")
    }
}

extension HTTPHeaders.Name: Hashable {
    /// Equal in either case of ASCII letters.
    public static func == (left: Self, right: Self) -> Bool { left.matches(right.rawValue) }

    /// Hashes the lower-case name.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte.lowercasedASCII) }
    }
}

extension HTTPHeaders.Name: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
