import Foundation
import HalyardAsync
import HalyardHTTP
@testable import HalyardSigning
import HalyardTesting
import TestSupport
import Testing

/// Requests to Amazon Web Services, with the signatures of its documentation and of its published test suite.
@Suite(.timeLimit(.minutes(3)))
struct AWSSignatureTests {
    struct SignedAPI: HTTPProvider {
        var baseURL = URL(string: "https://example.amazonaws.com")!
        let client: HTTPClient
        var authentication: Authentication

        func with(authentication: Authentication) -> SignedAPI {
            var api = self
            api.authentication = authentication
            return api
        }
    }

    static let keys = AWSCredentials(
        accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    static let time = Date(timeIntervalSince1970: 1_440_938_160)

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
    /// get-vanilla-query-order-key-case, get-vanilla-query-order-value, get-vanilla-utf8-query,
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

    @Test("requests have the published signatures of the test suite", arguments: vectors)
    func signatures(vector: Vector) async throws {
        var keys = Self.keys
        keys.sessionToken = vector.sessionToken
        let signing = AWSSignature(keys, region: "us-east-1", service: "service") { Self.time }
        let stub = StubTransport().on(vector.method, "/*", .status(200)).on(vector.method, "", .status(200))
        let api = SignedAPI(client: HTTPClient(transport: stub), authentication: Authentication(signing))
        try await api.request(Route(path: vector.path, method: vector.method, body: vector.body)).void()
        let request = try #require(stub.requests.first)
        #expect(request.headers["X-Amz-Date"] == "20150830T123600Z")
        #expect(request.headers["X-Amz-Security-Token"] == vector.sessionToken)
        #expect(request.headers["X-Amz-Content-SHA256"] == nil)
        #expect(
            request.headers["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(vector.names), Signature=\(vector.signature)")
    }

    /// Published: get-utf8, get-relative, get-slash-dot-slash, get-slashes and get-space, whose paths are encoded once.
    @Test(arguments: [
        ("/\u{1234}", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        ("/example/..", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("/./", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("//example//", "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
        ("/example space/", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    ])
    func `a path is in the form that is signed`(path: String, expected: String) {
        let signature = SignatureV4(Self.keys, region: "us-east-1", service: "service", date: Self.time)
        let headers = [("host", "example.amazonaws.com"), ("x-amz-date", signature.time)]
        let empty = SHA256Digest().finish().hexadecimal
        #expect(
            signature.signature(method: "GET", path: path, query: "", headers: headers, payload: empty) == expected)
    }

    static let storageKeys = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    static let storageTime = Date(timeIntervalSince1970: 1_369_353_600)
    static let storage = URL(string: "https://examplebucket.s3.amazonaws.com")!

    /// The examples of Amazon's documentation of S3.
    @Test(arguments: [
        ("/?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        ("/?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ])
    func `requests to S3 sign the digest of the body as a header`(path: RoutePath, signature: String) async throws {
        let signing = AWSSignature(Self.storageKeys, region: "us-east-1", service: "s3") { Self.storageTime }
        let stub = StubTransport().on(.get, "/*", .status(200))
        let api = SignedAPI(
            baseURL: Self.storage, client: HTTPClient(transport: stub), authentication: Authentication(signing))
        try await api.request(Route(path: path)).void()
        let request = try #require(stub.requests.first)
        #expect(request.headers["X-Amz-Content-SHA256"] == SHA256Digest().finish().hexadecimal)
        #expect(
            request.headers["Authorization"]?.hasSuffix(
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=\(signature)") == true)
    }

    @Test("a presigned URL is the one of Amazon's documentation")
    func presigned() async throws {
        let signing = AWSSignature(Self.storageKeys, region: "us-east-1", service: "s3") { Self.storageTime }
        let url = try await signing.presignedURL(
            for: Self.storage.appending(path: "test.txt"), expiresIn: .seconds(86_400))
        #expect(
            url.absoluteString
                == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test("a presigned URL keeps the query, and has the token of temporary keys")
    func presignedQuery() async throws {
        var keys = Self.storageKeys
        keys.sessionToken = "a+b/c"
        let signing = AWSSignature(keys, region: "us-east-1", service: "s3") { Self.storageTime }
        let url = try #require(URL(string: "https://examplebucket.s3.amazonaws.com:443/a?versionId=1#part"))
        let text = try await signing.presignedURL(for: url, method: .put, expiresIn: .seconds(1)).absoluteString
        #expect(text.hasPrefix("https://examplebucket.s3.amazonaws.com:443/a?versionId=1&X-Amz-Algorithm="))
        #expect(text.contains("&X-Amz-Security-Token=a%2Bb%2Fc&X-Amz-Signature=") && !text.contains("#"))
    }

    @Test("a presigned URL for no time, for too long or of no server is an error", arguments: [0, 604_801])
    func presignedErrors(seconds: Int) async throws {
        let signing = AWSSignature(Self.keys, region: "us-east-1", service: "s3")
        let long = await failure {
            _ = try await signing.presignedURL(for: Self.storage, expiresIn: .seconds(seconds))
        }
        #expect(long?.kind == .encoding("the duration"))
        let url = try #require(URL(string: "/a"))
        let relative = await failure { _ = try await signing.presignedURL(for: url, expiresIn: .seconds(1)) }
        #expect(relative?.kind == .invalidURL("/a"))
    }

    @Test("a file is signed and sent, a stream only without its content")
    func bodies() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "body")
        try Data(repeating: 7, count: 3 << 20).write(to: file)
        let server = try LoopbackServer().on(.put, "/a", .status(200))
        func api(_ payload: AWSSignature.Payload) -> SignedAPI {
            SignedAPI(
                baseURL: server.baseURL, client: .shared,
                authentication: .aws(Self.keys, region: "us-east-1", service: "s3", payload: payload))
        }
        try await api(.signed).request(Route(path: "/a", method: .put, body: .file(file))).void()
        let sent = try #require(server.requests.first)
        #expect(sent.headers["X-Amz-Content-SHA256"] == SHA256Digest.hash(sent.body).hexadecimal)
        #expect(sent.body.count == 3 << 20)
        let chunks = AsyncStream<Data> {
            $0.yield(Data("abc".utf8))
            $0.finish()
        }
        let stream = Route(path: "/a", method: .put, body: .stream(chunks))
        #expect(await failure { try await api(.signed).request(stream).void() }?.kind == .encoding("the body"))
        try await api(.unsigned).request(stream).void()
        #expect(server.requests.last?.headers["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
        #expect(server.requests.last?.text == "abc")
    }

    @Test("keys that expire are renewed before their end, and once for all requests when the service refuses them")
    func renewal() async throws {
        let count = Lock(0)
        let signing = AWSSignature(region: "us-east-1", service: "s3") {
            let number = count.withLock { count in
                count += 1
                return count
            }
            return AWSCredentials(accessKeyID: "KEY\(number)", secretAccessKey: "s", sessionToken: "token\(number)")
        }
        let server = try LoopbackServer().on(.get, "/a") { request in
            request.headers["X-Amz-Security-Token"] == "token1"
                ? .text("<Error><Code>ExpiredToken</Code></Error>", status: 400) : .text("ok")
        }
        let api = SignedAPI(
            baseURL: server.baseURL, client: .shared, authentication: Authentication(signing))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await api.request(Route(path: "/a")).void() } }
            try await group.waitForAll()
        }
        #expect(count.withLock(\.self) == 2)
        #expect(server.requests.allSatisfy { $0.headers["Authorization"]?.contains("=KEY") == true })
    }

    @Test("the closure that renews the keys cannot wait for them")
    func renewalWithItself() async throws {
        let server = try LoopbackServer().on(.get, "/keys", .text("x")).on(.get, "/a", .status(200))
        let itself = Lock(AWSSignature?.none)
        let signing = AWSSignature(region: "us-east-1", service: "s3") {
            let signing = try #require(itself.withLock { $0 })
            let api = SignedAPI(
                baseURL: server.baseURL, client: .shared, authentication: Authentication(signing))
            try await api.request(Route(path: "/keys")).void()
            let link = await failure { _ = try await signing.presignedURL(for: Self.storage, expiresIn: .seconds(1)) }
            #expect(link?.kind == .cancelled)
            return Self.keys
        }
        itself.withLock { $0 = signing }
        let api = SignedAPI(
            baseURL: server.baseURL, client: .shared, authentication: Authentication(signing))
        try await api.request(Route(path: "/a")).void()
        #expect(server.requests.map { $0.headers.contains("Authorization") } == [false, true])
    }

    @Test("a wrong clock is corrected by the server's time, for requests at once as well", arguments: [400, 403])
    func skew(status: Int) async throws {
        let server = try LoopbackServer().on(.get, "/a") { request in
            let isRight = request.headers["X-Amz-Date"] == "20150830T123600Z"
            return .json(
                text: #"{"__type":"InvalidSignatureException"}"#, status: isRight ? 200 : status,
                headers: ["Date": "Sun, 30 Aug 2015 12:36:00 GMT"])
        }
        let signing = AWSSignature(Self.keys, region: "us-east-1", service: "s3") {
            Self.time.addingTimeInterval(-3600)
        }
        let api = SignedAPI(
            baseURL: server.baseURL, client: .shared, authentication: Authentication(signing))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { try await api.request(Route(path: "/a")).void() } }
            try await group.waitForAll()
        }
        try await api.request(Route(path: "/a")).void()
        #expect(server.requests.last?.headers["X-Amz-Date"] == "20150830T123600Z")
    }

    @Test(
        "a refusal for another reason, or with the same time, moves no clock",
        arguments: [
            ("<Code>AccessDenied</Code>", "Thu, 01 Jan 2099 00:00:00 GMT"),
            ("<Code>SignatureDoesNotMatch</Code>", "Sun, 30 Aug 2015 12:36:10 GMT"),
            ("<Code>RequestTimeTooSkewed</Code>", "tomorrow"),
        ])
    func refusal(text: String, date: String) async throws {
        let server = try LoopbackServer().on(.get, "/a") { _ in
            var response = StubResponse.text(text, status: 403)
            response.headers["Date"] = date
            return response
        }
        let signing = AWSSignature(Self.keys, region: "us-east-1", service: "s3") { Self.time }
        let api = SignedAPI(baseURL: server.baseURL, client: .shared, authentication: Authentication(signing))
        for _ in 0..<2 { #expect(await failure { try await api.request(Route(path: "/a")).void() } == .status(403)) }
        #expect(server.requests.map { $0.headers["X-Amz-Date"] } == ["20150830T123600Z", "20150830T123600Z"])
    }

    @Test("only the host is signed of an authority, and only S3 itself has its rules")
    func hostsAndServices() async throws {
        let signing = AWSSignature(Self.keys, region: "us-east-1", service: "s3") { Self.time }
        func code(_ url: String) async throws -> Substring {
            try await signing.presignedURL(for: #require(URL(string: url)), expiresIn: .seconds(1)).absoluteString
                .suffix(64)
        }
        #expect(try await code("HTTPS://u:p@h.example.com:443/a") == code("https://h.example.com/a"))
        #expect(["s3", "s3express", "s3tables", "s3vectors"].map(SignatureV4.isStorage) == [true, true, false, false])
    }

    @Test("neither a description nor an error shows a secret")
    func secrets() async throws {
        var keys = Self.keys
        keys.sessionToken = "temporary"
        var text = "\(keys) \(String(reflecting: keys))"
        dump(keys, to: &text)
        let lines = Lock("")
        let log = EventLog.printing(.bodies) { text in lines.withLock { $0 += text } }
        let server = try LoopbackServer().on(.get, "/a", .status(500))
        let api = SignedAPI(
            baseURL: server.baseURL, client: HTTPClient(log: log),
            authentication: .aws(keys, region: "us-east-1", service: "s3"))
        do { try await api.request(Route(path: "/a")).void() } catch {
            text += "\(error) \(String(reflecting: error))"
            dump(error, to: &text)
        }
        text += lines.withLock(\.self)
        let signature = try #require(server.requests.first?.headers["Authorization"]?.suffix(64))
        let link = try await AWSSignature(keys, region: "us-east-1", service: "s3").presignedURL(
            for: server.baseURL.appending(path: "a"), expiresIn: .seconds(60))
        lines.withLock { $0 = "" }
        do { try await api.with(authentication: .none).request(Route(url: link)).void() } catch { text += "\(error)" }
        text += lines.withLock(\.self)
        #expect(text.contains("X-Amz-Expires"))
        let code = link.absoluteString.suffix(64)
        #expect(!text.contains(code))
        for secret in [keys.secretAccessKey, "temporary", String(signature)] { #expect(!text.contains(secret)) }
    }
}
