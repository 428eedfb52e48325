import Foundation
import Halyard
import HalyardHTTP
import Testing

/// The text of a request's URL is sent, and Foundation's `URL` is created from it on demand. Both must be the same URL.
struct AbsoluteURLTests {
    private struct API: HTTPProvider {
        var baseURL: URL
    }

    private static let bases = [
        "https://api.example.com", "http://127.0.0.1:8080/", "https://api.example.com/v1/", "http://[::1]:80/v1",
        "https://api.example.com/a%20b/c", "https://API.Example.com:443/v1", "https://a_b.example.com/v(1)'s;x=,@:",
        "https://api.example.com/v1?key=a%26b", "https://api.example.com?a=/?&b", "http://xn--bcher-kva.example:/p",
        "https://api.example.com/x[1]/?y[]=2", "https://api.example.com//double//",
    ]

    /// Texts of many kinds, the same in each run.
    private static let texts: [String] = {
        var state: UInt64 = 88_172_645_463_325_252
        func next(_ limit: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }
        let ascii = (UInt8(0)..<128).map { Character(Unicode.Scalar($0)) }
        let scalars = ascii.map(String.init) + ["%", "%", "%41", "%zz", "é", "日", "😀", "[", "]", "#", "?", "//"]
        return (0..<400).map { _ in (0..<next(12) + 1).map { _ in scalars[next(scalars.count)] }.joined() }
    }()

    @Test(arguments: bases)
    func `Foundation parses the URL of any route as it is sent`(base: String) throws {
        let api = API(baseURL: try #require(URL(string: base)))
        var count = 0
        for text in Self.texts {
            let elsewhere = URL(string: "https://api.example.com/p/\(text)?q=\(text)")
            let routes = [
                Route(path: RoutePath(escaping: text)), Route(path: RoutePath(verbatim: text)),
                Route(path: "/\(text)/x?q=\(text)", params: [text: text, "list": [text, "2"]]),
                Route(path: "/search", params: ["a": ["b": [text]]], encoding: .url(arrays: .commas)),
            ]
            for route in routes + [elsewhere.map { Route(url: $0, params: ["p": text]) }].compactMap(\.self) {
                // An invalid segment is rejected.
                guard let request = try? api.prepare(route) else { continue }
                let read = URL(string: request.address.text)
                #expect(read?.absoluteString == request.address.text, "\(text.debugDescription) after \(base)")
                #expect(request.url == read)
                #expect(try Origin(ofURL: request.url.absoluteString) == request.origin)
                count += 1
            }
        }
        #expect(count > 1000)
    }

    @Test func `the URL of text that needs escaping comes from Foundation`() throws {
        let address = try #require(AbsoluteURL("https://api.example.com/[1]", isPlain: false))
        #expect(address.text == address.url.absoluteString && address.text != "https://api.example.com/[1]")
        #expect(AbsoluteURL("", isPlain: false) == nil)
    }

    @Test func `a request returns the URL it was created with`() throws {
        let url = try #require(URL(string: "https://api.example.com/a%20b?q=[1]"))
        var request = try HTTPRequest(.get, url)
        #expect(request.url == url && request.address.text == url.absoluteString)
        let other = try #require(URL(string: "http://127.0.0.1:8080/p"))
        try request.setURL(other)
        #expect(request.url == other && request.address.text == "http://127.0.0.1:8080/p")

        var response = HTTPResponse(status: 200, url: url)
        #expect(response.url == url && response.address.text == url.absoluteString)
        response.url = other
        #expect(response.url == other && response.address.text == "http://127.0.0.1:8080/p")
        #expect(HTTPResponse(status: 200, from: request.address).url == other)
    }
}
