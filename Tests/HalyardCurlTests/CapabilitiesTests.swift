import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

/// What the engine says about the libraries of the machine.
struct CapabilitiesTests {
    @Test func `one line names the libraries, the versions of HTTP and the codings`() throws {
        let capabilities = try CurlTransport.capabilities
        let line = "\(capabilities)"
        #expect(line.hasPrefix("libcurl \(capabilities.libcurl), "))
        #expect(line.contains("HTTP/1.1, HTTP/2") == capabilities.hasHTTP2)
        #expect(line.hasSuffix(capabilities.contentCodings.joined(separator: ", ")) && !line.contains("\n"))
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
