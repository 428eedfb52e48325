import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// How redirects affect retries and errors, over a connection.
@Suite(.timeLimit(.minutes(3)))
struct RedirectedTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func api(_ retry: RetryPolicy = .never) -> TestAPI {
        TestAPI(baseURL: server.baseURL, client: HTTPClient(configuration: .init(retry: retry)))
    }

    @Test("redirects do not add to the attempts of a retry policy")
    func attempts() async throws {
        let again = StubResponse.status(302, headers: ["Location": "/x"])
        server.on(.get, "/x", .status(503), .status(503), again, .status(503), .status(503), again, .status(503))
        var policy = RetryPolicy.upTo(attempts: 3)
        policy.delay = .zero
        let error = await failure { try await api(policy).request(Route(path: "/x")).void() }
        #expect(error?.kind == .status(503) && error?.sendCount == 4)
        #expect(server.requests.count == 4)

        // A redirect does not count as an attempt.
        server.on(.get, "/y", .status(302, headers: ["Location": "/z"])).on(.get, "/z", .status(503))
        let moved = await failure { try await api(policy).request(Route(path: "/y")).void() }
        #expect(moved?.kind == .status(503) && moved?.sendCount == 4)
        #expect(server.requests.dropFirst(4).map(\.path) == ["/y", "/z", "/z", "/z"])
    }

    @Test("the error after redirects names the requested URL and the URL of the response")
    func named() async throws {
        server.on(.post, "/a", .status(303, headers: ["Location": "/b"]))
            .on(.get, "/b", .status(302, headers: ["Location": "/c?token=s3cret"])).on(.get, "/c", .status(404))
            .on(.get, "/d", .status(302, headers: ["Location": "/m"]))
            .on(.get, "/m", .status(302, headers: ["Location": "/e"])).on(.get, "/e", .text("no JSON"))
        let base = server.baseURL
        let missing = await failure { try await api().request(Route(path: "/a", method: .post)).void() }
        #expect(missing?.description == "404 Not Found (POST \(base)/a, redirected to \(base)/c, which answered 404)")
        let unfit = await failure { _ = try await api().request(Route(path: "/d")).json() }
        #expect(unfit?.description.contains(" (GET \(base)/d, redirected to \(base)/e, which answered 200)") == true)
        let plain = await failure { try await api().request(Route(path: "/c")).void() }
        #expect(plain?.description == "404 Not Found (GET \(base)/c answered 404)")
    }

    @Test("an unanswerable digest challenge is the reason for the 401, and validate is called")
    func challenge() async throws {
        let challenge = #"Digest realm="r", nonce="n", algorithm=SHA3-512"#
        server.on(.get, "/x", .status(401, headers: ["WWW-Authenticate": challenge]))
        let asked = Counter()
        let digest = api().with(\.authentication, .digest(user: "u", password: "p")).with(\.onValidate) { response in
            asked.increment()
            try response.requireSuccess()
        }
        let error = await failure { try await digest.request(Route(path: "/x")).void() }
        #expect(error?.kind == .status(401) && error?.response?.status == 401 && asked.count == 1)
        #expect(error?.description.contains(#"the digest algorithm "SHA3-512" is not known"#) == true)
    }

    @Test("digest authentication with auth-int succeeds", arguments: ["MD5", "SHA-256"])
    func integrity(algorithm: String) async throws {
        let nonces = Lock<[String]>([])
        server.on(.post, "/x") { request in
            guard let answer = request.headers["Authorization"] else {
                let challenge = #"Digest realm="r", nonce="n", qop="auth-int", algorithm=\#(algorithm)"#
                return .status(401, headers: ["WWW-Authenticate": challenge])
            }
            let count = answer.firstRange(of: "nc=").map { String(answer[$0.upperBound...].prefix(8)) } ?? ""
            let isFresh = nonces.withLock { nonces in
                defer { nonces.append(count) }
                return !nonces.contains(count)
            }
            return .status(isFresh && answer.contains("qop=auth-int") ? 204 : 403)
        }
        let digest = api().with(\.authentication, .digest(user: "u", password: "p"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await digest.request(Route(path: "/x", method: .post, params: ["n": number])).void()
                }
            }
            try await group.waitForAll()
        }
    }
}
