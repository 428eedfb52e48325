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
