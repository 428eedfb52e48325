import Foundation
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
    #endif
    case urlSession
    /// A stub instead of an engine: the same tests, with responses from a table.
    case stub

    /// The engines that use a network. `HALYARD_WIRE=curl` excludes URLSession, because its known issues are those of
    /// one version of libcurl.
    package static var wire: [Engine] {
        let only = ProcessInfo.processInfo.environment["HALYARD_WIRE"]
        return allCases.filter { $0 != .stub && (only == nil || only == $0.rawValue) }
    }

    /// Makes an engine.
    ///
    /// - Parameter configuration: The configuration. Defaults to one without an idle time limit: on a busy machine,
    ///   tests that run in parallel may leave a request waiting for a minute.
    /// - Returns: The engine.
    package func make(_ configuration: EngineConfiguration = EngineConfiguration(idleTimeout: nil)) -> any Transport {
        switch self {
        #if os(Linux)
            case .curl: CurlTransport(configuration: configuration)
        #endif
        case .urlSession: URLSessionTransport(configuration: configuration)
        case .stub: StubTransport()
        }
    }

    /// Whether the engine is URLSession on Linux, which is swift-corelibs-foundation's.
    package var isCorelibs: Bool {
        #if canImport(Darwin)
            false
        #else
            self == .urlSession
        #endif
    }

    /// libcurl with Halyard's own event loop.
    package var isCurl: Bool {
        #if os(Linux)
            self == .curl
        #else
            false
        #endif
    }
}
