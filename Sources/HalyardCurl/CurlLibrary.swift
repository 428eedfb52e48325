import CHalyardCurl
package import HalyardHTTP

/// libcurl itself: found on the machine when it is first needed, once per process.
package enum CurlLibrary {
    /// The name under which every distribution has it: soname 4 is a stable ABI since 2006.
    package static let name = "libcurl.so.4"

    private static let flaw: String? = halyard_load(name).map { String(cString: $0) }

    /// Makes sure that libcurl is there.
    ///
    /// - Throws: ``HTTPError`` of kind `engineUnavailable`, with the package to install.
    package static func load() throws(HTTPError) {
        if let flaw { throw missing(because: flaw) }
    }

    package static func missing(because flaw: String) -> HTTPError {
        HTTPError(
            .engineUnavailable, reason: "\(name) 7.68 or later cannot be used (\(flaw))",
            suggestion: "Install libcurl: `apt-get install libcurl4`, `dnf install libcurl` or `apk add libcurl`")
    }

    /// Whether a handle keeps a pointer to the last header field of the transfer before, and follows it when the next
    /// response begins with a folded line: a server could stop the process.
    ///
    /// That is so from 7.83 to 8.1.0 (https://github.com/curl/curl/issues/11101). See `FoldGuard`.
    static let keepsStaleFields = (0x075300..<0x080101).contains(halyard_version())

    /// Whether a transfer begins without waiting for anybody: names are looked up elsewhere, as every distribution's does,
    /// and a SOCKS proxy is talked to as it answers, since 7.69 (https://github.com/curl/curl/pull/4907).
    static let beginsAtOnce = halyard_features() & HALYARD__VERSION_ASYNCHDNS != 0 && halyard_version() >= 0x074500

    /// Whether a connection that speaks HTTP/2 without TLS carries more than one request.
    ///
    /// 7.88 takes up HTTP/2 on it again for the second, which fails (https://github.com/curl/curl/pull/10643). There
    /// every request has a connection of its own.
    package static let sharesPlainHTTP2 = !(0x075800..<0x080000).contains(halyard_version())
}
