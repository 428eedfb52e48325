import CHalyardCurl
package import HalyardHTTP

/// libcurl itself: found on the machine when it is first needed, once per process.
package enum CurlLibrary {
    /// The name under which every distribution has it: soname 4 is a stable ABI since 2006.
    package static let name = "libcurl.so.4"

    private static let flaw = ProcessExit.prepare { halyard_load(name).map { String(cString: $0) } }

    /// Makes sure that libcurl is there.
    ///
    /// - Throws: ``HTTPError`` of kind `engineUnavailable`, with the package to install.
    package static func load() throws(HTTPError) {
        if let flaw { throw missing(because: flaw, isStatic: halyard_is_static()) }
    }

    /// Its version as 0xMMmmpp; what a release does otherwise than others stands below.
    package static let version = halyard_version()

    /// The error of an engine without a libcurl that it can use.
    ///
    /// - Parameter isStatic: whether the program is linked statically. Such a one can load no library, and installing one
    ///   is no way out.
    package static func missing(because flaw: String, isStatic: Bool = false) -> HTTPError {
        if isStatic {
            return HTTPError(
                .engineUnavailable,
                reason: "the program is linked statically, and cannot load \(name) (\(flaw))",
                suggestion:
                    "Build it with Halyard's package trait LinkedCurl, which links libcurl, or link it dynamically")
        }
        return HTTPError(
            .engineUnavailable, reason: "\(name) 7.68 or later cannot be used (\(flaw))",
            suggestion: "Install libcurl: `apt-get install libcurl4`, `dnf install libcurl` or `apk add libcurl`")
    }

    /// Whether a handle keeps a pointer to the last header field of the transfer before, and follows it when the next
    /// response begins with a folded line: a server could stop the process.
    ///
    /// That is so from 7.83 to 8.1.0 (https://github.com/curl/curl/issues/11101). See `FoldGuard`.
    static let keepsStaleFields = (0x075300..<0x080101).contains(version)

    /// Whether a transfer begins without waiting for anybody: names are looked up elsewhere, as every distribution's
    /// does, and a SOCKS proxy is talked to as it answers, since 7.69 (https://github.com/curl/curl/pull/4907).
    static let beginsAtOnce = halyard_features() & HALYARD__VERSION_ASYNCHDNS != 0 && version >= 0x074500

    /// Whether a transfer that is paused twice may fail (https://github.com/curl/curl/issues/19334): in 8.16.0.
    static let failsAfterPauses = version == 0x081000

    /// Whether it was built with HTTP/2.
    package static let hasHTTP2 = halyard_features() & HALYARD__VERSION_HTTP2 != 0

    /// Whether a request is announced when its connection stands, so that it can be held back: since 7.80.
    ///
    /// See `Transfer.maySend()`. Where it is not, a request that may not be sent twice has a fresh connection: over a
    /// kept one, which turns out to be dead, libcurl would send it again.
    static let asksBeforeSending = version >= 0x075000

    /// Whether roots may be given as text: since 7.77.
    package static let takesRootsFromMemory = version >= 0x074D00

    /// Whether a connection that speaks HTTP/2 without TLS carries more than one request.
    ///
    /// 7.88 takes up HTTP/2 on it again for the second, which fails (https://github.com/curl/curl/pull/10643). There
    /// every request has a connection of its own.
    package static let sharesPlainHTTP2 = !(0x075800..<0x080000).contains(version)
}
