import CHalyardCurl
package import HalyardHTTP

/// libcurl itself, loaded once per process when the first engine is made, and the differences between its releases.
package enum CurlLibrary {
    /// The file name of libcurl. Every distribution uses soname 4, a stable ABI since 2006.
    package static let name = "libcurl.so.4"

    private static let loadError = ProcessExit.prepare { halyard_curl_load(name).map { String(cString: $0) } }

    /// Loads libcurl, unless it is loaded already. Throws ``HTTPError`` of kind `engineUnavailable`, which names the
    /// package to install.
    package static func load() throws(HTTPError) {
        if let loadError { throw unavailable(because: loadError, isStatic: halyard_is_statically_linked()) }
    }

    /// The error of an engine that has no usable libcurl. `isStatic` says whether the program is linked statically.
    /// Such a program cannot load libraries, and installing one does not help. Defaults to `false`.
    package static func unavailable(because reason: String, isStatic: Bool = false) -> HTTPError {
        if isStatic {
            return HTTPError(
                .engineUnavailable,
                reason: "the program is linked statically, and cannot load \(name) (\(reason))",
                suggestion:
                    "Build it with Halyard's package trait LinkedCurl, which links libcurl, or link it dynamically")
        }
        return HTTPError(
            .engineUnavailable, reason: "\(name) 7.76 or later cannot be used (\(reason))",
            suggestion: "Install libcurl: `apt-get install libcurl4`, `dnf install libcurl` or `apk add libcurl`")
    }
}

extension CurlLibrary {
    /// The error of an engine that is to use HTTP/3 from the first request.
    static var missingHTTP3: HTTPError {
        HTTPError(
            .configuration("httpVersion"),
            reason: "the installed libcurl \(String(cString: halyard_curl_version_text())) has no HTTP/3 with fallback",
            suggestion: "Use .automatic, or install a libcurl of 7.88 or later that was built with HTTP/3")
    }
}

// Properties of the loaded release. Use them after a successful `load()` only.
extension CurlLibrary {
    /// The version as 0xMMmmpp.
    package static let version = halyard_curl_version()

    /// Whether libcurl was built with HTTP/2.
    package static let hasHTTP2 = halyard_curl_features() & HALYARD__VERSION_HTTP2 != 0

    /// Whether libcurl was built with HTTP/3, and falls back to TCP: since 7.88.
    package static let hasHTTP3 = version >= 0x075800 && halyard_curl_features() & HALYARD__VERSION_HTTP3 != 0

    /// Whether certificate authorities can be passed as text: since 7.77.
    package static let acceptsRootsFromMemory = version >= 0x074D00

    /// Whether an HTTP/2 connection without TLS carries more than one request.
    ///
    /// libcurl 7.88 negotiates HTTP/2 again for the second request, which fails
    /// (https://github.com/curl/curl/pull/10643). The engine then uses a connection of its own for every request.
    package static let multiplexesCleartextHTTP2 = !(0x075800..<0x080000).contains(version)

    /// Whether libcurl records for each stream, and not for each connection, that the server has refused it: since 7.77.
    static let distinguishesRefusedStreams = version >= 0x074D00

    /// The size of libcurl's buffer for what arrives, in bytes.
    static let bufferSize = 32 << 10

    /// The size of the buffer for what arrives over HTTP/2, in bytes.
    ///
    /// Releases before 8.1 deliver header fields in pieces of this size, and may forget the third. They take 128 KB of
    /// header fields at most.
    static let bufferSizeOverHTTP2 = (0x075700..<0x080100).contains(version) ? 136 << 10 : bufferSize

    /// Whether an easy handle keeps a pointer to the last header field of its previous transfer, and follows it when
    /// the next response begins with a folded line. A server could crash the process that way.
    ///
    /// This is so from 7.83 to 8.1.0 (https://github.com/curl/curl/issues/11101). ``FoldGuard`` protects against it.
    static let keepsStaleHeaderPointer = (0x075300..<0x080101).contains(version)

    /// Whether starting a transfer never blocks.
    ///
    /// This requires a resolver that works in the background, as in every distribution's build.
    static let startsWithoutBlocking = halyard_curl_features() & HALYARD__VERSION_ASYNCHDNS != 0

    /// Whether a transfer that is paused twice may fail: in 8.16.0 (https://github.com/curl/curl/issues/19334).
    static let failsAfterPauses = version == 0x081000

    /// Whether libcurl calls back before it sends a request over a connection (`CURLOPT_PREREQFUNCTION`): since 7.80.
    ///
    /// See ``Transfer/shouldSend(toAddress:port:localPort:)``. Older releases send a request again without asking when
    /// a kept connection turns out to be dead. With them, a request that must not be sent twice uses a new connection.
    static let hasPrerequestCallback = version >= 0x075000
}

/// libpsl, which contains the list of public suffixes. It is loaded once per process when it is first used. Most builds
/// of libcurl depend on libpsl, so it is usually installed.
package enum PublicSuffixLibrary {
    private static let loadError: String? = halyard_psl_load("libpsl.so.5").map { String(cString: $0) }

    /// Whether this machine has libpsl.
    package static var isAvailable: Bool { loadError == nil }

    /// Returns whether a name is a public suffix, under which anybody can register a domain.
    ///
    /// Call it only if ``isAvailable`` is `true`.
    package static func contains(_ name: String) -> Bool { halyard_psl_is_public_suffix(name) }
}
