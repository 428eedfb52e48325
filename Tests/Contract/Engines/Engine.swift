package import Foundation
package import HalyardHTTP
import HalyardTesting
import HalyardURLSession

#if os(Linux)
    import HalyardCurl
#endif

/// An engine that the contract tests check.
package enum Engine: String, CaseIterable, Sendable {
    #if os(Linux)
        case curl
        /// libcurl over HTTP/3, by way of a gateway to the server of the test. See ``Gateway``.
        case http3
    #endif
    case urlSession
    /// A stub instead of an engine: the same tests, with responses from a table.
    case stub

    /// All engines. HTTP/3 is one of them where its gateway runs.
    package static var allCases: [Engine] {
        #if os(Linux)
            Gateway.shared == nil ? [.curl, .urlSession, .stub] : [.curl, .http3, .urlSession, .stub]
        #else
            [.urlSession, .stub]
        #endif
    }

    /// The engines that use a network. `HALYARD_WIRE=curl` excludes URLSession, because its known issues are those of
    /// one version of libcurl.
    package static var wire: [Engine] {
        let only = ProcessInfo.processInfo.environment["HALYARD_WIRE"]
        return allCases.filter { $0 != .stub && (only == nil || only == $0.rawValue) }
    }

    /// The engines of ``wire`` that use HTTP/1.1, for tests of its bytes and its connections.
    package static var http1: [Engine] { wire.filter { !$0.isHTTP3 } }

    /// Makes an engine.
    ///
    /// - Parameter configuration: The configuration. Defaults to one without an idle time limit: on a busy machine,
    ///   tests that run in parallel may leave a request waiting for a minute.
    /// - Returns: The engine.
    package func make(_ configuration: EngineConfiguration = EngineConfiguration(idleTimeout: nil)) -> any Transport {
        switch self {
        #if os(Linux)
            case .curl: CurlTransport(configuration: configuration)
            case .http3: GatewayTransport(configuration)
        #endif
        case .urlSession: URLSessionTransport(configuration: configuration)
        case .stub: StubTransport()
        }
    }

    /// Returns the URL under which the engine requests a URL of a server of the test.
    package func url(_ url: URL) -> URL {
        #if os(Linux)
            if self == .http3, let url = Gateway.shared?.url(for: url) { return url }
        #endif
        return url
    }

    /// Whether the engine is URLSession on Linux, which is swift-corelibs-foundation's.
    package var isCorelibs: Bool {
        #if canImport(Darwin)
            false
        #else
            self == .urlSession
        #endif
    }

    /// Whether the engine is libcurl over HTTP/3.
    package var isHTTP3: Bool { rawValue == "http3" }

    /// libcurl with Halyard's own event loop.
    package var isCurl: Bool {
        #if os(Linux)
            self == .curl || self == .http3
        #else
            false
        #endif
    }
}
