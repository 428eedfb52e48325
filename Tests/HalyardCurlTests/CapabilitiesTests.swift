import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

/// What the engine says about the libraries of the machine.
struct CapabilitiesTests {
    /// What libcurl says of itself: names with versions, such as `libcurl/7.88.1 OpenSSL/3.0.19 zlib/1.2.13`.
    private func libraries() throws -> [Substring] {
        let handle = try #require(dlopen(CurlLibrary.name, RTLD_NOW))
        let symbol = try #require(dlsym(handle, "curl_version"))
        let version = unsafeBitCast(symbol, to: (@convention(c) () -> UnsafePointer<CChar>).self)
        return String(cString: version()).split(separator: " ")
    }

    @Test func `the capabilities are those that libcurl names`() throws {
        let (capabilities, libraries) = (try CurlTransport.capabilities, try libraries())
        let has = { (name: String) in libraries.contains { $0.hasPrefix("\(name)/") } }
        #expect(libraries.first == "libcurl/\(capabilities.libcurl)")
        let tls = try #require(capabilities.tlsLibrary)
        #expect(libraries.contains { $0.hasPrefix(tls) })
        #expect(capabilities.hasHTTP2 == has("nghttp2") && (!capabilities.hasHTTP3 || has("ngtcp2") || has("quiche")))
        #expect(capabilities.contentCodings.starts(with: ["gzip", "deflate"]))
    }

    @Test func `one line names the libraries, the versions of HTTP and the codings`() {
        let full = CurlTransport.Capabilities(
            libcurl: "8.23.0", tlsLibrary: "OpenSSL/3.6.5", hasHTTP2: true, hasHTTP3: true,
            contentCodings: ["gzip", "br"])
        #expect("\(full)" == "libcurl 8.23.0, OpenSSL/3.6.5, HTTP/1.1, HTTP/2, HTTP/3, WebSocket, HSTS, gzip, br")
        let bare = CurlTransport.Capabilities(
            libcurl: "7.76.0", tlsLibrary: nil, hasHTTP2: false, hasHTTP3: false, contentCodings: [])
        #expect("\(bare)" == "libcurl 7.76.0, no TLS, HTTP/1.1, WebSocket, HSTS")
    }

    @Test(.enabled(if: (try? CurlTransport.capabilities.hasHTTP3) == false))
    func `a libcurl without HTTP/3 fails requests that ask for it, and no others`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("ok"))
        #expect(try await CurlTransport().send(to: server).text == "ok")
        let transport = CurlTransport(configuration: EngineConfiguration(httpVersion: .http3))
        let error = try #require(await #expect(throws: HTTPError.self) { try await transport.send(to: server) })
        #expect(error.kind == .configuration("httpVersion"))
        #expect(error.reason?.contains("HTTP/3") == true && error.suggestion?.contains(".automatic") == true)
    }
}
