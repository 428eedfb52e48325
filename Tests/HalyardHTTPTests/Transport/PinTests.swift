import Foundation
import HalyardHTTP
import Testing

/// The hosts of pins: every spelling has its pins, and an invalid host is an error.
struct PinTests {
    private let pin = Data(0..<32).base64EncodedString()

    @Test(
        "a host is pinned however it is spelled, in the configuration and in a URL",
        arguments: [
            ("api.example.com", "https://api.example.com/"), ("API.Example.COM", "https://api.example.com/"),
            ("api.example.com.", "https://api.example.com/"), ("api.example.com", "https://api.example.com./x"),
            ("api.example.com", "https://API.EXAMPLE.COM.:8443/x"), ("127.0.0.1", "https://127.0.0.1:1/"),
            ("::1", "https://[::1]/"), ("[::1]", "https://[0:0:0:0:0:0:0:1]/"), ("[::FFFF]", "https://[0::ffff]/"),
            ("[0::127.0.0.1]", "https://[::7f00:1]/"),
        ])
    func spellings(key: String, url: String) throws {
        var changed = EngineConfiguration.TLS()
        changed.pins[key] = [pin]
        for tls in [EngineConfiguration.TLS(pins: [key: [pin]]), changed] {
            let origin = try Origin(ofURL: url)
            #expect(tls.pins(for: origin) == [pin])
            try tls.checkPins(for: origin)
            #expect(throws: HTTPError(.tls(.wrongPin))) {
                try tls.checkPins(for: Origin(ofURL: url.replacing("https", with: "http")))
            }
            try #expect(tls.pins(for: Origin(ofURL: "https://other.example/")) == nil)
        }
    }

    @Test(
        "a pin for no host or for several hosts is a configuration error",
        arguments: [
            "api.example.com:443", "https://api.example.com", "*.example.com", "api.example.com/", "", ".",
            "b\u{FC}cher.example", "a b", "user@api.example.com", "[::1]:443", "api.example.com?",
        ])
    func invalid(key: String) throws {
        let tls = EngineConfiguration.TLS(pins: [key: [pin], "good.example": [pin]])
        let error = #expect(throws: HTTPError(.configuration("tls.pins"))) {
            try tls.checkPins(for: Origin(ofURL: "https://api.example.com/"))
        }
        #expect(error?.reason?.contains("not the name of a host") == true)
    }

    @Test("a host without pins is a configuration error; two spellings of a host share their pins")
    func several() throws {
        let other = Data(1..<33).base64EncodedString()
        let origin = try Origin(ofURL: "https://a.example/")
        #expect(throws: HTTPError(.configuration("tls.pins"))) {
            try EngineConfiguration.TLS(pins: ["a.example": []]).checkPins(for: origin)
        }
        let tls = EngineConfiguration.TLS(pins: ["A.example": [pin], "a.example.": [other]])
        #expect(tls.pins(for: origin) == [pin, other])
        try EngineConfiguration.TLS().checkPins(for: origin)
    }
}
