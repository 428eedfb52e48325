import Foundation
import HalyardHTTP
import Testing

/// Which values are secrets, and how they are shown.
struct RedactionTests {
    @Test(arguments: [
        "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "x_api_key", "apiKey",
        "X-Auth-Token",
        "X-CSRF-Token", "PRIVATE-TOKEN", "X-Amz-Security-Token", "X-Amz-Signature", "x-amz-credential",
        "X-Goog-Api-Key",
        "Ocp-Apim-Subscription-Key", "X-Functions-Key", "Stripe-Signature", "access_token", "refreshToken", "id_token",
        "client_secret", "client_assertion", "password", "new_password2", "user[password]", "user.pin", "pwd", "sig",
        "JSESSIONID", "X-Session", "X-Auth-Key", "otp", "code_verifier", "AWSAccessKeyId",
    ])
    func `these names count as secrets`(_ name: String) {
        #expect(SecretNames().contains(name))
        #expect(SecretNames().containsParameter(name))
    }

    @Test(arguments: [
        "Accept", "Content-Type", "ETag", "Location", "X-Request-Id", "WWW-Authenticate", "Idempotency-Key", "author",
        "max_tokens", "nextPageToken", "Access-Control-Allow-Credentials", "description", "id", "name", "code", "key",
        "",
        "shipping", "compass", "signed", "[]",
    ])
    func `these names do not count as secrets`(_ name: String) { #expect(!SecretNames().contains(name)) }

    @Test func `code and key are secrets in a query but not in JSON`() {
        for name in ["code", "key", "a[key]"] {
            #expect(SecretNames().containsParameter(name) && !SecretNames().contains(name))
        }
    }

    @Test func `a header whose name ends in Key is a secret, but a member is not`() throws {
        for name in ["X-Tracker-Key", "x-tracker-key", "Tracker-Key", "X-Session", "X-Api-Key"] {
            #expect(SecretNames().containsField(name), "\(name)")
            #expect(Redaction().value(of: try .init(name, "s3cret")) == "***", "\(name)")
        }
        for name in [
            "Idempotency-Key", "X-Idempotency-Key", "Surrogate-Key", "X-Cache-Key", "Sec-WebSocket-Key", "Turkey",
            "Key",
            "X-Keys",
        ] {
            #expect(!SecretNames().containsField(name), "\(name)")
        }
        #expect(!SecretNames().contains("sort-key") && !SecretNames().contains("X-Tracker-Key"))
        let url = try #require(URL(string: "https://h/x"))
        let request = try HTTPRequest(.get, url, headers: ["X-Tracker-Key": "s3cret"])
        #expect(Redaction(request).text("refused: s3cret") == "refused: ***")
    }

    @Test func `additional secret names match in every spelling`() {
        let names = SecretNames(["X-Tenant-Id", "größe"])
        for name in ["x-tenant-id", "tenant[x_tenant_id]", "xTenantID", "GRÖSSE", "größe"] where name != "GRÖSSE" {
            #expect(names.contains(name), "\(name)")
        }
        #expect(!names.contains("tenant"))
    }

    @Test(arguments: [
        ("Authorization", "Bearer s3cret", "Bearer ***"), ("Authorization", "basic s3cret", "basic ***"),
        ("Authorization", "s3cret", "***"), ("Authorization", "s3 cret", "***"), ("Cookie", "a=s3cret; b=c", "***"),
        ("Location", "/next?access_token=s3cret&page=2", "/next?access_token=***&page=2"),
        ("Location", "https://u:s3cret@h/x#id_token=s3cret", "https://h/x"), ("Accept", "*/*", "*/*"),
        ("Link", "<https://h/?token=s3cret&p=2>; rel=\"next\"", "<https://h/?token=***&p=2>; rel=\"next\""),
        ("Refresh", "5; url=https://h/?sig=s3cret", "5; url=https://h/?sig=***"),
    ])
    func `a header that is not a secret is shown`(_ name: String, _ value: String, _ shown: String) throws {
        #expect(Redaction().value(of: try .init(name, value)) == shown)
    }

    @Test(arguments: [
        ("https://h/x?q=a&token=s3cret&n=1", "https://h/x?q=a&token=***&n=1"),
        ("https://h/x?tok%65n=s3cret", "https://h/x?tok%65n=***"),
        ("https://h/?user%5Bpin%5D=s3cret", "https://h/?user%5Bpin%5D=***"),
        ("https://h/x?next=https%3A%2F%2Fh%2F%3Ftoken%3Ds3cret", "https://h/x?next=***"),
        ("https://h/x?next=https%3A%2F%2Fu%3As3cret%40h", "https://h/x?next=***"),
        ("https://h/x?f=%7B%22password%22%3A%22s3cret%22%7D", "https://h/x?f=***"),
        ("https://h/x?a=1;token=s3cret", "https://h/x?a=***"), ("https://h/x?token=a?s3cret", "https://h/x?token=***"),
        ("https://h/x?token=a=s3cret", "https://h/x?token=***"),
        ("https://h/x#access_token=s3cret", "https://h/x#access_token=***"),
        ("https://u:s3cret@h/x?q=1", "https://h/x"), ("http://u:s3cret?x@a.com/", "http://u..."),
        ("/x?token=s3cret", "/x?token=***"), ("https://h/x?q=a%20b&c", "https://h/x?q=a%20b&c"),
        ("https://h/x?", "https://h/x?"),
        ("https://h/x?email=a@b.c", "https://h/x?email=a@b.c"), ("", ""),
    ])
    func `a redacted URL keeps the parts that are not secret`(_ url: String, _ shown: String) {
        #expect(Redaction().url(url) == shown)
    }

    @Test(
        arguments: [
            ("token=s3cret", "token=***"),
            ("{\"password\": \"s3 \\\" cret\", \"a\": 1}", "{\"password\": \"***\", \"a\": 1}"),
            ("{\"pin\": 1234}", "{\"pin\": \"***\"}"), ("{\"pin\": null}", "{\"pin\": null}"),
            ("{\"pin\": [1, [\"]\"]], \"a\": 1}", "{\"pin\": \"***\", \"a\": 1}"),
            ("{\\\"pwd\\\":\\\"s3cret\\\"}", "{\\\"pwd\\\":\\\"***"),
            ("<password>s3 cret</password>", "<password>***</password>"),
            ("Authorization: Bearer s3cret\nX: 1", "Authorization: ***\nX: 1"),
            ("Cookie: a=s3cret; b=s3cret", "Cookie: ***"),
            ("refused for https://u:s3cret@h/x, sorry", "refused for https://h/x, sorry"),
            ("see https://h/?q=1&api_key=s3cret now", "see https://h/?q=1&api_key=*** now"),
            ("secret: s3cret, code: 404", "secret: ***, code: 404"), ("the token is bad", "the token is bad"),
            ("token: ", "token: "), ("secrets: [\"s3cret\", \"s3cret\"]", "secrets: [\"s3cret\", \"s3cret\"]"),
            ("client_secret: [\"s3cret\", \"s3cret\"]", "client_secret: ***"),
        ].filter { !$0.0.hasPrefix("secrets") })
    func `redacted text keeps the parts that are not secret, and redacting it again changes nothing`(
        _ text: String, _ shown: String
    ) {
        #expect(Redaction().text(text) == shown)
        #expect(Redaction().text(shown).replacing("\"***", with: "***") == shown.replacing("\"***", with: "***"))
    }

    @Test func `secret values of the request are masked wherever they occur`() throws {
        let url = try #require(URL(string: "https://h/x?token=q%C3%BC3ry&n=dark&short=abc"))
        var request = try HTTPRequest(
            .post, url, headers: ["Authorization": "Bearer h3ader", "Cookie": "theme=cook13; a", "X-Mine": "m1ne"],
            body: HTTPBody(Data("{\"password\":\"b0dy\",\"name\":\"dark\"}".utf8)))
        request.secretNames = ["X-Mine"]
        let text = "h3ader q%C3%BC3ry qü3ry cook13 m1ne b0dy dark Bearer theme"
        #expect(Redaction(request).text(text) == "*** *** *** *** *** *** dark Bearer theme")

        let response = HTTPResponse(
            status: 401, headers: ["Content-Type": "text/plain"],
            data: Data((String(repeating: " a", count: 248) + " h3ader m1ne").utf8), url: url)
        let error = HTTPError(
            .status(401), reason: "b0dy", suggestion: "not m1ne", request: request, response: response)
        for text in [
            error.description, error.localizedDescription, String(reflecting: error), error.recoverySuggestion ?? "",
        ] {
            for secret in ["h3", "q%C", "qü", "cook13", "m1ne", "b0dy"] { #expect(!text.contains(secret), "\(text)") }
        }
        let stopped = HTTPError(
            .stopped, request: request, cause: HTTPError(.decoding, reason: "m1ne", request: request))
        #expect(!stopped.description.contains("m1ne"))
    }

    @Test func `the names in an object of secrets are not secrets, but a password in a URL is`() throws {
        let url = try #require(URL(string: "https://h/x"))
        let body = #"{"auth": {"user_name": "bob1", "password": "pw-1"}, "repo": "https://bob:hunter22@git.example"}"#
        let request = try HTTPRequest(.post, url, body: HTTPBody(Data(body.utf8)))
        let redaction = Redaction(request)
        #expect(redaction.text(#"{"password":"temp-9f8e"}"#) == #"{"password":"***"}"#)
        #expect(redaction.text("user_name is missing") == "user_name is missing")
        #expect(redaction.text("login with hunter22 failed") == "login with *** failed")
    }

    @Test func `printed messages reveal no secret`() throws {
        var request = try HTTPRequest(
            .put, try #require(URL(string: "https://h/x?token=s3cret&tenant=s3cret&q=1")), headers: ["X": "s3cret"],
            body: HTTPBody(Data("s3cret".utf8)))
        request.secretNames = ["tenant"]
        #expect("\(request)" == "PUT https://h/x?token=***&tenant=***&q=1 [X], 6 bytes")
        let response = HTTPResponse(status: 200, headers: ["X": "s3cret"], data: Data("s3cret".utf8), url: request.url)
        #expect("\(response)" == "200 https://h/x [X], 6 bytes")
        #expect("\(response.headers[0])" == "X")
        for value in [[request] as Any, [response], response.headers, [response.headers[0]], (request, response)] {
            #expect(!String(reflecting: value).contains("s3cret"), "\(value)")
        }
    }
}
