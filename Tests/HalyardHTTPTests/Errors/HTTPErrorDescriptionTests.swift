import Foundation
import HalyardHTTP
import Testing

/// The descriptions of errors, and what they must not contain.
struct HTTPErrorDescriptionTests {
    private func request(_ url: String) throws -> HTTPRequest {
        try HTTPRequest(
            .post, try #require(URL(string: url)), headers: ["Authorization": "Bearer s3cret", "Cookie": "id=s3cret"],
            body: HTTPBody(Data("s3cret".utf8)))
    }

    private func response(_ status: Int, _ type: String, _ body: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": type, "Set-Cookie": "s3cret"], data: Data(body.utf8),
            url: URL(string: "http://a.com/?s3cret")!)
    }

    @Test(arguments: ["👩‍👩‍👧", "й", "🇩🇪", "नि"])
    func `long text is truncated between characters`(_ character: String) throws {
        for start in ["", "a", "ab"] {
            let text = start + String(repeating: character, count: 600)
            let error = HTTPError(.status(500), response: response(500, "text/plain; charset=utf-8", text))
            let excerpt = "\(error)".prefix { $0 != "…" }
            #expect(text.inOneLine.utf8.count > 400 && excerpt.utf8.count > 250)
            for cut in [text.inOneLine, String(excerpt)] {
                #expect(Set(cut.drop { $0.isASCII }).isSubset(of: [Character(character)]), "\(cut)")
            }
        }
        let tall = "a" + String(repeating: "\u{301}", count: 1000)
        #expect(tall.inOneLine.unicodeScalars.count == 500)
    }

    @Test(arguments: [
        (HTTPError(.invalidURL("ftp://h/")), "The URL \"ftp://h/\" cannot be used"),
        (HTTPError(.invalidMethod("A B")), "The method \"A B\" cannot be used"),
        (HTTPError(.invalidHeader("X"), reason: "its name is bad"), "The header \"X\" cannot be sent: its name is bad"),
        (HTTPError(.invalidPath("/..")), "The path \"/..\" cannot be used"),
        (HTTPError(.encoding("q")), "\"q\" cannot be encoded"),
        (HTTPError(.engineUnavailable), "The engine is not available"),
        (HTTPError(.noStub("GET /x")), "No stub answers GET /x"),
        (HTTPError(.hostNotFound("h")), "The host \"h\" was not found"),
        (HTTPError(.cannotConnect("http://h")), "No connection could be made to http://h"),
        (
            HTTPError(.tls(.expired)),
            "The secure connection failed, because the certificate has expired or is not yet valid"
        ),
        (HTTPError(.connectionLost), "The connection was lost"), (HTTPError(.timedOut), "The request timed out"),
        (HTTPError(.cancelled), "The request was cancelled"),
        (HTTPError(.invalidResponse), "The server's response cannot be used"),
        (
            HTTPError(.digestMismatch(expected: "a", actual: "b")),
            "The downloaded file has the SHA-256 b, and not a"
        ),
        (HTTPError(.bodyTooLarge(limit: 9)), "The response's body is larger than 9 bytes"),
        (HTTPError(.engine(code: 7)), "The engine failed with its code 7"), (HTTPError(.status(404)), "404 Not Found"),
        (HTTPError(.status(799)), "799 Unknown Status"), (HTTPError(.status(404), reason: "why"), "why"),
        (HTTPError(.emptyResponse), "The response has no body where a value was expected"),
        (HTTPError(.decoding), "The response cannot be decoded"),
        (HTTPError(.stopped), "The caller stopped the request"),
    ])
    func `each kind of error has a message`(_ error: HTTPError, _ words: String) {
        #expect(error.errorDescription == words)
        #expect(error.localizedDescription == words)
        #expect(error.description.hasPrefix(error == HTTPError.status(404) ? error.kind.description : words))
        #expect(error.description.contains(words))
        #expect((error as any LocalizedError).failureReason == nil)
    }

    @Test func `the description includes the request, the response and the suggestion`() throws {
        let error = HTTPError(
            .decoding, reason: "no JSON", request: try request("https://a.com/x?token=s3cret#s3cret"),
            response: response(200, "application/json", "s3cret"))
        #expect(
            error.description == """
                The response cannot be decoded: no JSON (POST https://a.com/x answered 200). \
                Compare the requested type with the body, in the error's response.
                """)
        let other = error.with { $0.suggestion = "Try again" }
        #expect(other.recoverySuggestion == "Try again")
        #expect(other.description.hasSuffix(". Try again."))
    }

    @Test func `the error for a stopped request names the error that stopped it`() {
        let error = HTTPError(.stopped, reason: "not shown", cause: HTTPError.status(401))
        #expect(error.errorDescription == "The caller stopped the request: 401 Unauthorized")
    }

    @Test(arguments: [
        ("text/plain", "Bad thing", "Bad thing"),
        ("text/html; charset=utf-8", "<b>no</b> <input value=\"x\">\n way", "no way"),
        ("text/plain", "a\r\nb\n\nc\n", "a b c"), ("text/plain", " \n", "422 Unprocessable Content"),
        ("text/plain", "", "422 Unprocessable Content"),
        ("application/json", "{\"a\":1}", "422 Unprocessable Content"),
        ("text/plain", "a\u{1B}[2Jb\0c\u{85}d\u{2028}e", "a [2Jb c d e"),
    ])
    func `the message for a status is its text body in one line, without control characters`(
        _ type: String, _ body: String, _ words: String
    ) {
        let error = HTTPError(.status(422), reason: nil, response: response(422, type, body))
        #expect(error.errorDescription == words)
        #expect(
            HTTPError(.decoding, response: response(422, type, body)).errorDescription
                == "The response cannot be decoded")
    }

    @Test(arguments: [
        ("text/plain", "Boom", ": Boom"), ("text/plain; charset=utf-8", " a\r\n  b\u{1B}c ", ": a b c"),
        ("text/plain", "Unprocessable Content", ""), ("text/plain", " \n", ""), ("image/png", "x", ""), ("", "x", ""),
        ("application/json", #"{"message":"name is taken"}"#, #": {"message":"name is taken"}"#),
        (
            "application/problem+json", "{\n  \"a\": 1,\n  \"password\": \"s3cret\"\n}",
            #": { "a": 1, "password": "***" }"#
        ),
        (
            "application/json", "{\"a\":\"" + String(repeating: "x", count: 300),
            ": {\"a\":\"" + String(repeating: "x", count: 194) + "…"
        ),
        ("text/html", "<html><style>b{}</style><!-- <b>x</b> --><Title>Bad</TITLE>\n<p>no <b>way</b>", ": Bad no way"),
        ("text/html", "<html><body></body></html>", ""), ("text/html", "<script>a<b", ""), ("text/html", "a <b", ": a"),
        ("text/html", String(repeating: "<p>ab</p>", count: 99), ": " + String(repeating: "ab ", count: 33) + "a…"),
        ("text/plain", "no: s3cret-header", ": no: ***"),
    ])
    func `the description of a status includes the status and the start of the body`(
        _ type: String, _ body: String, _ words: String
    ) throws {
        let url = try #require(URL(string: "https://a.com/x"))
        let request = try HTTPRequest(.post, url, headers: ["Authorization": "Bearer s3cret-header"])
        let error = HTTPError(.status(422), request: request, response: response(422, type, body))
        #expect(error.headline == "422 Unprocessable Content\(words)")
        #expect(error.description == "422 Unprocessable Content\(words) (POST https://a.com/x answered 422)")
        #expect(
            HTTPError(.status(422), reason: "why", response: error.response).headline
                == "422 Unprocessable Content: why")
    }

    @Test(arguments: ["x", "x\u{301}\u{302}\u{303}"])
    func `a long body is truncated`(_ letter: String) {
        let error = HTTPError(
            .status(500), response: response(500, "text/plain", String(repeating: letter, count: 100_000)))
        #expect(error.description.unicodeScalars.count <= 500)
    }

    @Test(arguments: [
        "https://a.com/x?token=s3cret", "https://a.com/x#s3cret", "https://u:s3cret@a.com/", "https://s3cret@a.com",
        "u:s3cret@a.com/",
        "//u:s3cret@a.com/", "http:/u:s3cret@a.com/", "http:\\\\u:s3cret@a.com", "http://u:s3@cret@a.com/s",
        "http://u:a/s3cret@a.com/",
        "http://u:s3cret?x@a.com/", "http://u:s3cret#x@a.com/", "http://u:s3cret%40a.com/",
        "http://a.com/?\u{301}s3cret", "http://u:s3cret@\u{301}a.com/",
        "http://a.com/#\u{301}s3cret", "u:s3cret@\u{FE0F}a.com",
    ])
    func `a URL is shown without its secrets`(_ url: String) {
        let error = HTTPError(.invalidURL(url))
        for text in [error.description, error.localizedDescription, "\(error.kind)", RedactedAddress.of(url)] {
            #expect(!text.contains("s3cret") && !text.contains("cret@"), "\(text)")
        }
    }

    @Test(arguments: [
        ("https://a.com/x?y", "https://a.com/x"), ("http://u:p@a.com:80/x", "http://a.com:80/x"),
        ("https://a.com/@me", "https://a.com/@me"),
        ("/user/1", "/user/1"), ("http://a.com:99999/", "http://a.com:99999/"),
        ("http://[::1]:80/x", "http://[::1]:80/x"), ("", ""),
        ("a.com:80/x", "a.com:80/x"), ("http://a b.com/x", "http://a b.com/x"), ("ftp://h/", "ftp://h/"),
        ("mailto:a@b.c", "b.c"),
    ])
    func `a redacted URL still shows its scheme, host and path`(_ url: String, _ shown: String) {
        #expect(RedactedAddress.of(url) == shown)
    }

    @Test(arguments: [
        ("a\r\nb", #""a\r\nb""#), ("\u{1B}[31m", #""\u{1B}[31m""#), ("a\"b\\", #""a\"b\\""#), ("é日", "\"é日\""),
        ("\u{85}\u{2028}\u{202E}", #""\u{85}\u{2028}\u{202E}""#), ("", "\"\""),
    ])
    func `input in a message is quoted so that it cannot add a line`(_ text: String, _ quoted: String) {
        #expect(text.quoted == quoted)
        #expect(HTTPError(.invalidHeader(text)).description.contains(quoted))
    }

    @Test func `quoted input is truncated`() {
        #expect(String(repeating: "x", count: 100_000).quoted.count == 202)
        #expect(("x" + String(repeating: "\u{301}", count: 100_000)).quoted.unicodeScalars.count <= 202)
    }
}
