import Foundation
import HalyardHTTP
import Testing

@testable import Halyard

/// The `Link` header field (RFC 8288).
@Suite struct LinkTests {
    static func links(_ values: String..., url: String = "https://api.example.com/v1/items?page=1") throws
        -> [HTTPResponse.Link]
    {
        var response = HTTPResponse(status: 200, url: try #require(URL(string: url)))
        response.headers = HTTPHeaders(lenient: values.map { ("Link", $0) })
        return response.links
    }

    static let table: [(String, [String: String])] = [
        ("<https://a.example/2>; rel=\"next\"", ["next": "https://a.example/2"]),
        ("<https://a.example/2>;rel=next", ["next": "https://a.example/2"]),
        (
            "<https://a.example/2> ; REL = \"Next\" , <https://a.example/9>; rel=last",
            ["next": "https://a.example/2", "last": "https://a.example/9"]
        ),
        // Commas, semicolons and quotes within quotes and targets.
        (
            "<https://a.example/?q=a,b;c>; title=\"x, <y>; rel=\\\"prev\\\"\"; rel=\"next\"",
            ["next": "https://a.example/?q=a,b;c"]
        ),
        // Several relation types; the first rel counts.
        (
            "<https://a.example/1>; rel=\"first prev\"; rel=next",
            ["first": "https://a.example/1", "prev": "https://a.example/1"]
        ),
        // Relative targets.
        ("</v1/items?page=2>; rel=next", ["next": "https://api.example.com/v1/items?page=2"]),
        ("<?page=2>; rel=next", ["next": "https://api.example.com/v1/items?page=2"]),
        ("<items/3>; rel=next", ["next": "https://api.example.com/v1/items/3"]),
        ("<//b.example/2>; rel=next", ["next": "https://b.example/2"]),
        ("<>; rel=self", ["self": "https://api.example.com/v1/items?page=1"]),
        // Empty elements, parameters without a value, and text that is no link.
        (",, <https://a.example/2>; crossorigin; rel=next,", ["next": "https://a.example/2"]),
        (
            "<https://a.example/2>; rel=next oops, <https://a.example/3>; rel=last",
            ["next": "https://a.example/2", "oops": "https://a.example/2", "last": "https://a.example/3"]
        ),
        ("https://a.example/2; rel=next", [:]), ("<https://a.example/2; rel=next", [:]), ("", [:]),
        ("<https://a.example/2>; rel=\"next", ["next": "https://a.example/2"]),
        ("<https://a.example/2>", [:]),
    ]

    @Test("links are parsed completely, and relative targets are resolved", arguments: table)
    func parsing(value: String, expected: [String: String]) throws {
        var found: [String: String] = [:]
        for link in try Self.links(value) {
            for relation in link.relations where found[relation] == nil { found[relation] = link.url.absoluteString }
        }
        #expect(found == expected)
    }

    @Test("parameters have lowercase names, keep the first of a name, and decode extended values")
    func parameters() throws {
        let links = try Self.links(
            "</a>; rel=next; Title=\"one\"; title=two; title*=UTF-8'de'gr%C3%BC%C3%9Fe; type=text/html")
        #expect(links.first?.parameters == ["title": "grüße", "type": "text/html"])
    }

    @Test("a link with another anchor does not relate to the response")
    func anchor() throws {
        let links = try Self.links("</b>; anchor=\"/other\"; rel=next", "</c>; anchor=\"\"; rel=next")
        #expect(links.map { $0.isRelated(by: "NEXT") } == [false, true])
        #expect(links.first?.anchor?.absoluteString == "https://api.example.com/other")
        let part = try Self.links("</d#top>; anchor=\"#part\"; rel=next")
        #expect(part.first?.isRelated(by: "next") == false)
        #expect(part.first?.anchor?.absoluteString == "https://api.example.com/v1/items?page=1#part")
        #expect(part.first?.url.absoluteString == "https://api.example.com/d#top")
    }

    @Test("several headers are read in order")
    func fields() throws {
        #expect(try Self.links("</a>; rel=prev", "</b>; rel=next").map { $0.url.path() } == ["/a", "/b"])
    }

    @Test("no text crashes the parser or makes it run forever", arguments: 0..<200)
    func randomText(seed: UInt64) throws {
        var state = seed &* 0x9E37_79B9_7F4A_7C15
        let pieces = ["<", ">", ";", ",", "=", "\"", "\\", "rel", "next", " ", "*", "UTF-8''%", "/a", "é"]
        let text = (0..<40).map { _ -> String in
            state = state &* 6_364_136_223_846_793_005 &+ 1
            return pieces[Int(state >> 33) % pieces.count]
        }.joined()
        #expect(LinkField.links(in: text, base: "https://a.example/").count <= 40)
    }
}
