import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Signatures and sessions as the article shows them.
@Suite(.timeLimit(.minutes(3)))
struct SigningTests {
    struct SignedAPI: HTTPProvider {
        let baseURL = URL(string: "https://example.amazonaws.com")!
        let client: HTTPClient
        let authentication: Authentication
    }

    /// HMAC (RFC 2104) with SHA-256.
    @Sendable static func hmac(_ key: Data, _ message: Data) -> Data {
        let key = key.count > 64 ? Data(SHA256Digest.hash(Array(key))) : key
        let padded = key + Data(count: 64 - key.count)
        let inner = SHA256Digest.hash(padded.map { $0 ^ 0x36 } + message)
        return Data(SHA256Digest.hash(padded.map { $0 ^ 0x5C } + inner))
    }

    struct Vector: Sendable {
        var method = HTTPMethod.get
        var path: RoutePath
        var body: RouteBody?
        var sessionToken: String?
        var names = "host;x-amz-date"
        let signature: String
    }

    /// The session token of the test suite.
    static let sessionToken =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwt"
        + "hAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHN"
        + "VXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLx"
        + "BA=="

    /// All but the last vector are published: get-vanilla, with an empty path as well, post-vanilla,
    /// get-vanilla-query-order-key-case, get-vanilla-query-order-value, get-utf8, get-vanilla-utf8-query,
    /// post-x-www-form-urlencoded and post-sts-header-before.
    static let vectors = [
        Vector(path: "/", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(path: "", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            method: .post, path: "/", signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Vector(
            path: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Vector(
            path: "/?Param1=value2&Param1=value1",
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
        Vector(path: "/\u{1234}", signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Vector(
            path: "/?\u{1234}=bar", signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Vector(
            method: .post, path: "/", body: .form(["Param1": "value1"]), names: "content-type;host;x-amz-date",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Vector(
            method: .post, path: "/", sessionToken: sessionToken, names: "host;x-amz-date;x-amz-security-token",
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
        // A name that is the start of another one comes first, although `-` comes before `=`.
        Vector(path: "/?a-b=2&a=1", signature: "321dff75bd2a219c1b95fc5dbc497343614dbe8f73319c9d9c415bca43078ce2"),
    ]

    @Test("Signature Version 4 produces the published signatures of its test suite", arguments: vectors)
    func signatures(vector: Vector) async throws {
        let signing = SignatureV4(
            keyID: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            sessionToken: vector.sessionToken, region: "us-east-1", service: "service",
            sha256: { Data(SHA256Digest.hash(Array($0))) }, hmac: Self.hmac,
            now: { Date(timeIntervalSince1970: 1_440_938_160) })
        let stub = StubTransport().on(vector.method, "/*", .status(200)).on(vector.method, "", .status(200))
        let api = SignedAPI(client: HTTPClient(transport: stub), authentication: Authentication(signing))
        try await api.request(Route(path: vector.path, method: vector.method, body: vector.body)).void()
        let request = try #require(stub.requests.first)
        #expect(request.headers["X-Amz-Date"] == "20150830T123600Z")
        #expect(request.headers["X-Amz-Security-Token"] == vector.sessionToken)
        #expect(
            request.headers["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(vector.names), Signature=\(vector.signature)")
    }

    @Test("an authenticator can respond to a status other than 401, such as a 409 with a session ID")
    func session() async throws {
        let server = try LoopbackServer().on(.post, "/rpc") { request in
            request.headers["X-Transmission-Session-Id"] == "s1"
                ? .json(text: "{}") : .status(409, headers: ["X-Transmission-Session-Id": "s1"])
        }
        let api = TransmissionAPI(baseURL: server.baseURL)
        let route = Route(path: "/rpc", method: .post, params: ["method": "torrent-get"])
        try await api.request(route).void()
        try await api.request(route).void()
        #expect(server.requests.map { $0.headers["X-Transmission-Session-Id"] } == [nil, "s1", "s1"])
        #expect(server.requests.allSatisfy { $0.text == #"{"method":"torrent-get"}"# })
    }

    @Test("an authenticator that names another status ignores a 401")
    func otherStatus() async throws {
        let server = try LoopbackServer().on(.get, "/rpc", .status(401))
        let error = await failure {
            try await TransmissionAPI(baseURL: server.baseURL).request(Route(path: "/rpc")).void()
        }
        #expect(error == .status(401))
        #expect(server.requests.count == 1)
    }

    @Test("a body from memory, a file or a form is read for signing and sent as it was read")
    func bodyData() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "body")
        try Data("file".utf8).write(to: file)
        struct Digest: Authenticator {
            func authenticate(_ request: inout HTTPRequest) async throws {
                request.headers["X-Body"] = try await request.body?.data().base64EncodedString()
            }
            func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool { false }
        }
        let server = try LoopbackServer().on(.put, "/api/a", .status(200))
        let api = TestAPI(server).with(\.authentication, Authentication(Digest()))
        let form: [MultipartPart] = [.file(file, name: "f")]
        for route in [
            Route(path: "/a", method: .put, params: ["a": 1]), Route(path: "/a", method: .put, body: .file(file)),
            Route(path: "/a", method: .put, multipart: form),
        ] {
            try await api.request(route).void()
        }
        #expect(server.requests.count == 3)
        for request in server.requests { #expect(request.headers["X-Body"] == request.body.base64EncodedString()) }
        #expect(server.requests.map { $0.text.contains("file") } == [false, true, true])
    }
}
