import CHalyardCurl

extension CurlTransport {
    /// What the engine can do with the libraries of this machine.
    ///
    /// ```swift
    /// print(try CurlTransport.capabilities)
    /// // libcurl 8.23.0, OpenSSL/3.6.5, HTTP/1.1, HTTP/2, HTTP/3, WebSocket, HSTS, gzip, deflate, br, zstd
    /// ```
    ///
    /// Throws `HTTPError` of kind `engineUnavailable` if there is no libcurl.
    public static var capabilities: Capabilities {
        get throws(HTTPError) {
            try CurlLibrary.load()
            return Capabilities(
                libcurl: String(cString: halyard_curl_version_text()),
                tlsLibrary: halyard_curl_tls_library().map { String(cString: $0) },
                hasHTTP2: CurlLibrary.hasHTTP2, hasHTTP3: CurlLibrary.hasHTTP3,
                contentCodings: ContentCoding.available.map(\.rawValue))
        }
    }

    /// What an engine can do that depends on the libraries of a machine.
    ///
    /// WebSockets, `Alt-Svc` and HSTS are Halyard's own, and are always there.
    public struct Capabilities: Sendable, Equatable {
        /// The version of libcurl, such as `8.23.0`.
        public let libcurl: String
        /// The TLS library and its version, such as `OpenSSL/3.6.5`; `nil` if libcurl has none.
        public let tlsLibrary: String?
        /// Whether libcurl has HTTP/2.
        public let hasHTTP2: Bool
        /// Whether libcurl has HTTP/3 with a fallback to TCP, as since 7.88 if it was built with it.
        public let hasHTTP3: Bool
        /// The codings of compressed responses that the engine decodes: `gzip`, `deflate`, `br` and `zstd`.
        public let contentCodings: [String]
    }
}

extension CurlTransport.Capabilities: CustomStringConvertible {
    /// One line for a log: the libraries, the versions of HTTP, WebSocket and HSTS, which every engine has, and the
    /// codings.
    public var description: String {
        let versions = ["HTTP/1.1"] + (hasHTTP2 ? ["HTTP/2"] : []) + (hasHTTP3 ? ["HTTP/3"] : [])
        return (["libcurl \(libcurl)", tlsLibrary ?? "no TLS"] + versions + ["WebSocket", "HSTS"] + contentCodings)
            .joined(separator: ", ")
    }
}
