import Foundation
import HalyardHTTP
import TestSupport
import Testing

/// Secrets of a request that a server repeats are masked in every spelling.
struct EchoTests {
    private static let secrets = ["hunter2&co", "p\"a\\ss/w", "gr\u{F6}\u{DF}e +1", "a<b>c'd"]

    private func form(_ pairs: KeyValuePairs<String, String>) -> String {
        pairs.map { "\(percent($0))=\(percent($1))" }.joined(separator: "&")
    }

    private func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    private func json(_ text: String, escapingAll: Bool = false) -> String {
        let escaped = text.utf16.map { unit -> String in
            let hex = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        }
        if escapingAll { return escaped.joined() }
        return text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("/", with: "\\/")
    }

    private func html(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&#34;").replacing("'", with: "&#x27;")
    }

    private func spellings(_ secret: String) -> [String] {
        [
            secret, percent(secret), percent(secret).replacing("%20", with: "+"), percent(secret).lowercased(),
            json(secret), json(secret, escapingAll: true), html(secret), json(percent(secret)), percent(json(secret)),
            json(html(secret)), percent(percent(secret)),
        ]
    }

    private func requests(_ secret: String) throws -> [HTTPRequest] {
        let url = try #require(URL(string: "https://h/x"))
        func post(_ type: String, _ body: String) throws -> HTTPRequest {
            try HTTPRequest(.post, url, headers: ["Content-Type": type], body: HTTPBody(Data(body.utf8)))
        }
        let part = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret)\r\n--b--\r\n"
        return [
            try post("application/json", "{\"a\": 1, \"password\": \"\(json(secret))\"}"),
            try post("application/x-www-form-urlencoded", form(["a": "1", "password": secret, "b": "2"])),
            try post("multipart/form-data; boundary=b", part),
            try HTTPRequest(.get, #require(URL(string: "https://h/x?\(form(["password": secret, "b": "2"]))"))),
        ]
    }

    @Test("a request's secret is masked in every spelling", arguments: secrets)
    func spelt(secret: String) throws {
        for request in try requests(secret) {
            for spelling in spellings(secret) {
                let shown = Redaction(request).text("You sent [\(spelling)] to us")
                #expect(shown == "You sent [***] to us", "\(spelling) of \(request)")
            }
            let basic = Data("ann:\(secret)".utf8).base64EncodedString()
            var other = request
            other.body = nil
            other.headers[.authorization] = "Basic \(basic)"
            #expect(!Redaction(other).text("no such password: \(secret)").contains(secret))
        }
    }

    @Test(
        "a value after a secret's name is masked, however the name is written",
        arguments: [
            "{\"p\\u0061ssword\": \"hunter2\"}", "{\"a\":1,\"\\u0061pi_key\":\"hunter2\"}", "pass%77ord=hunter2&a=1",
            "q=x%26password%3Dhunter2", "{\"q\":\"password%3Dhunter2\"}", "{\\\"p\\u0061ssword\\\":\\\"hunter2\\\"}",
            "&quot;password&quot;: &quot;hunter2&quot;", "<password>hunter2</password>",
            "see //ann:hunter2@h/x", "{\"url\":\"https:\\/\\/ann:hunter2@h\\/x\"}", "https%3A%2F%2Fann%3Ahunter2%40h",
        ])
    func named(text: String) {
        let shown = Redaction().text(text)
        #expect(!shown.contains("hunter2") && shown.contains("***"), "\(shown)")
    }

    @Test(
        "text that is not a secret is kept",
        arguments: [
            "<input name=\"user\" value=\"ann\">", "{\"name\": \"ann\", \"value\": 1}", "100%25 of it + more",
            "a\\nb \\u0041", "&lt;b&gt; &amp; c", "<b name=\"x\">password</b><b value=\"1\">", "mail ann@h or //h/@x",
            "Content-Disposition: form-data; name=\"a\"\r\n\r\nann\r\n--b--", "50% & 3; 100%",
        ])
    func harmless(text: String) { #expect(Redaction().text(text) == text) }

    @Test(
        "a password in a Location is hidden, however it is spelled",
        arguments: [
            "https://ann:hunter2@h/x", "//ann:hunter2@h/x", "http:/ann:hunter2@h/x", "http:ann:hunter2@h",
            "http:\\\\ann:hunter2@h/x", "/\\ann:hunter2@h", "http:/ann:hun?ter2hunter2@h/", "http://ann:hunter2 @h/x",
            "http://an n:hunter2@h/x", "https:/ann:9hunter2#x@h", "ann:hunter2@h", "http://ann:hunter2@h:bad/",
            "http:///ann:hunter2@h/", "http://[ann:hunter2@h/",
        ])
    func location(text: String) throws {
        let shown = Redaction().value(of: try .init("Location", text))
        #expect(!shown.contains("ter2"), "\(shown)")
        let error = HTTPError(.invalidURL(text), reason: "the response's Location")
        #expect(!error.description.contains("ter2"), "\(error)")
        let response = HTTPResponse(
            status: 302, headers: ["Content-Type": "text/plain"], data: Data("Go to \(text)".utf8),
            url: try #require(URL(string: "https://h/")))
        let refused = HTTPError(.status(302), response: response)
        // In a text that is not a URL, a password cannot be told from other words.
        if text.contains("//ann:hunter2@h") { #expect(!refused.description.contains("ter2")) }
    }

    @Test(
        "a Location without a password is shown",
        arguments: ["/@ann/x", "https://h/@ann?q=a@b", "x", "?a=b@c", "../b", "https://h:8/@\u{E9}:x"])
    func plainLocation(text: String) throws { #expect(Redaction().value(of: try .init("Location", text)) == text) }

    @Test("an HTML error page shows its text but not its hidden fields")
    func page() throws {
        let page = """
            <html><form><p>Please <b>sign in</b></p><input name="api_key" value="hunter2"><input name="x" value="hidden">
            </form></html>
            """
        let response = HTTPResponse(
            status: 403, headers: ["Content-Type": "text/html"], data: Data(page.utf8),
            url: try #require(URL(string: "https://h/")))
        let error = HTTPError(.status(403), response: response)
        #expect(error.errorDescription == "Please sign in")
        #expect(!error.description.contains("hidden") && !"\(error.headline)".contains("hunter2"))
    }

    @Test("any text can be redacted, and none reveals a secret of the request", arguments: 0..<2000 as Range<UInt64>)
    func generated(number: UInt64) throws {
        var seed = Seeded(number)
        let pieces = [
            "\\", "\"", "%", "%2", "%22", "+", "&", ";", "&amp;", "&#", "&#x26;", "\\u", "\\u00", "\\u0041",
            "\\uD83D\\uDE00",
            "\\uD83D", "<", ">", "{", "}", "@", ":", "//", "/", "=", "name", "value", "password", "form-data",
            "\r\n\r\n",
            "\n\n", "\n--", "\r", " ", "\u{E9}", "hun+ter&2", "hun%2Bter%262", "://", "Cookie: ", "[", "]", ",", "key",
        ]
        let text = try (0..<Int.random(in: 0..<24, using: &seed)).map { _ in try seed.pick(pieces) }.joined()
        let request = try HTTPRequest(
            .get, #require(URL(string: "https://h/")), headers: ["X-Api-Key": "hun+ter&2"])
        let line = text.filter { $0.isASCII && !$0.isNewline }
        let field = try HTTPHeaders.Field("Location", line)
        for shown in [Redaction(request).text(text), Redaction(request).value(of: field)] {
            #expect(!shown.contains("hun+ter&2") && !shown.contains("hun%2Bter%262"), "\(text)")
        }
    }

}
