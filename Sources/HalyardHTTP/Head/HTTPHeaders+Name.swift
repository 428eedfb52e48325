extension HTTPHeaders {
    /// The name of a header: an RFC 9110 token. Names are case-insensitive and keep their original spelling.
    public struct Name: Sendable {
        /// The name as it is sent over HTTP/1.1. HTTP/2 sends it in lowercase.
        public let rawValue: String

        /// Makes a name. Throws ``HTTPError`` of kind `invalidHeader` for a text that is not a token: with a space, a colon,
        /// a line break or a letter outside ASCII.
        package init(_ rawValue: String) throws(HTTPError) {
            guard rawValue.consists(of: .token) else {
                throw HTTPError(
                    .invalidHeader(rawValue),
                    reason: rawValue.isEmpty ? "its name is empty" : "its name is not a token")
            }
            self.rawValue = rawValue
        }

        private init(known rawValue: String) { self.rawValue = rawValue }

        package func matches(_ name: String) -> Bool { rawValue.equalsIgnoringASCIICase(name) }

        /// The credentials of the request.
        public static let authorization = Name(known: "Authorization")
        package static let contentLength = Name(known: "Content-Length")
        /// The media type of the body.
        public static let contentType = Name(known: "Content-Type")
    }
}

extension HTTPHeaders.Name: Hashable {
    /// Compares two names, ignoring the case of ASCII letters.
    public static func == (left: Self, right: Self) -> Bool { left.matches(right.rawValue) }

    /// Hashes the name in lowercase.
    public func hash(into hasher: inout Hasher) {
        for byte in rawValue.utf8 { hasher.combine(byte.lowercasedASCII) }
    }
}

extension HTTPHeaders.Name: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
