import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Signatures and sessions as the article shows them.
@Suite(.timeLimit(.minutes(3)))
struct SigningTests {
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
