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

    @Test(
        "Signature Version 4 gives the published signatures of its test suite",
        arguments: [
            (HTTPMethod.get, "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
            (.post, "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
            (
                .get, "/?Param2=value2&Param1=value1",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
            ),
        ])
    func signatures(method: HTTPMethod, path: String, signature: String) async throws {
        let signing = SignatureV4(
            keyID: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1",
            service: "service", sha256: { Data(SHA256Digest.hash(Array($0))) }, hmac: Self.hmac,
            now: { Date(timeIntervalSince1970: 1_440_938_160) })
        let stub = StubTransport().on(method, "/*", .status(200))
        let api = SignedAPI(client: HTTPClient(transport: stub), authentication: Authentication(signing))
        try await api.request(Route(path: RoutePath(verbatim: path), method: method)).void()
        let request = try #require(stub.requests.first)
        #expect(request.headers["X-Amz-Date"] == "20150830T123600Z")
        #expect(
            request.headers["Authorization"]
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=host;x-amz-date, Signature=\(signature)")
    }

    @Test("an authenticator may respond to another status than 401: a 409 with a session ID")
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

    @Test("a 401 is no concern of an authenticator that names another status")
    func otherStatus() async throws {
        let server = try LoopbackServer().on(.get, "/rpc", .status(401))
        let error = await failure {
            try await TransmissionAPI(baseURL: server.baseURL).request(Route(path: "/rpc")).void()
        }
        #expect(error == .status(401))
        #expect(server.requests.count == 1)
    }

    @Test("a body is read for signing: from memory, a file and a form with a file, and is sent as it was read")
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
        let form: Multipart = [.file(file, name: "f")]
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
