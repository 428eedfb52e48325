package import HalyardHTTP

#if os(Linux)
    import HalyardCurl
#elseif canImport(Darwin)
    import HalyardURLSession
#endif

/// Makes the engine of the platform. No other file chooses an engine.
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

/// The files of the platform that are in memory.
package enum PlatformFile {
    /// Reads bytes of a file without waiting for the disk. `nil` if the disk is needed, or if the system cannot tell.
    package static func readCached(_ descriptor: CInt, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer)
        -> Int?
    {
        #if os(Linux)
            let count = PageCache.read(descriptor, at: offset, into: buffer)
            return count >= 0 ? count : nil
        #else
            return nil
        #endif
    }
}

extension PublicSuffixes {
    /// The machine's public suffix list. On Linux, it is libpsl's, which most packages of libcurl install. It is loaded
    /// on first use. Without libpsl, and on Apple platforms, it is ``rules``.
    public static let platform: PublicSuffixes = {
        #if os(Linux)
            PublicSuffixLibrary.isAvailable ? PublicSuffixes { PublicSuffixLibrary.contains($0) } : .rules
        #else
            .rules
        #endif
    }()
}

#if !os(Linux) && !canImport(Darwin)
    /// Fails each request, because there is no engine for this platform. Everything else works, such as stubs.
    private struct UnavailableTransport: Transport {
        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            throw HTTPError(
                .engineUnavailable, reason: "Halyard has no engine for this platform",
                suggestion: "Pass an engine of your own to HTTPClient(transport:)", request: request)
        }
    }
#endif
