package import HalyardHTTP

#if os(Linux)
    import HalyardCurl
#elseif canImport(Darwin)
    import HalyardURLSession
#endif

/// The engine of the platform: the one place that picks it.
package enum PlatformTransport {
    package static func make(_ configuration: EngineConfiguration) -> any Transport {
        #if os(Linux)
            CurlTransport(configuration: configuration)
        #elseif canImport(Darwin)
            URLSessionTransport(configuration: configuration)
        #else
            UnavailableTransport()
        #endif
    }
}

extension PublicSuffixes {
    /// The public suffix list of the machine: libpsl's, which most libcurls bring along, where it is found when it is first
    /// needed; elsewhere, on Apple's systems too, the ``rules``.
    public static let platform: PublicSuffixes = {
        #if os(Linux)
            PublicSuffixLibrary.isAvailable ? PublicSuffixes { PublicSuffixLibrary.contains($0) } : .rules
        #else
            .rules
        #endif
    }()
}

#if !os(Linux) && !canImport(Darwin)
    /// Says that there is no engine here, request by request, so that everything else works: stubs for one.
    private struct UnavailableTransport: Transport {
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            throw HTTPError(
                .engineUnavailable, reason: "Halyard has no engine for this platform",
                suggestion: "Give HTTPClient(transport:) one of your own", request: request)
        }
    }
#endif
