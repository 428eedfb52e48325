import Foundation
import HalyardAsync
import HalyardOAuth
import HalyardTesting
import Testing

@testable import Bucket

/// The tool against an authorization server, a service for keys and a bucket on this machine.
@Suite(.timeLimit(.minutes(2)))
struct BucketTests {
    private func start() throws -> LoopbackServer {
        let server = try LoopbackServer()
        let url = server.baseURL.absoluteString
        server.on(
            .get, "/.well-known/oauth-authorization-server", times: .any,
            .json([
                "issuer": url, "token_endpoint": url + "/token", "device_authorization_endpoint": url + "/device",
            ]))
        server.on(
            .post, "/device", times: .any,
            .json([
                "device_code": "d", "user_code": "ABCD", "verification_uri": "https://example.com/device",
                "interval": 1,
            ]))
        server.on(
            .post, "/token", times: .any,
            .json(["access_token": "t", "refresh_token": "r", "token_type": "Bearer", "expires_in": 3600]))
        server.on(.get, "/keys", times: .any) { request in
            guard request.headers["Authorization"] == "Bearer t" else { return .status(401) }
            return .json(["id": "AKID", "secret": "s3cret", "token": "session", "expiration": "2099-01-01T00:00:00Z"])
        }
        server.on(.get, "/", times: .any) { request in
            let isSigned = request.headers["Authorization"]?.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/") == true
            guard isSigned, request.headers["X-Amz-Security-Token"] == "session" else { return .status(403) }
            return .text("<ListBucketResult><Key>a.txt</Key><Key>b/c.txt</Key></ListBucketResult>")
        }
        return server
    }

    @Test("it signs in once, and lists the bucket")
    func list() async throws {
        let server = try start()
        let store = OAuthMemoryStore()
        let (lines, say) = AsyncStream.makeStream(of: String.self)
        let bucket = Bucket(login: server.baseURL, storage: server.baseURL, store: store) { say.yield($0) }
        #expect(try await bucket.list() == ["a.txt", "b/c.txt"])
        #expect(try await bucket.list() == ["a.txt", "b/c.txt"])
        say.finish()
        var said: [String] = []
        for await line in lines { said.append(line) }
        #expect(said == ["Open https://example.com/device and type ABCD"])
        #expect(store.load()?.refreshToken == "r")
        #expect(server.requests.count { $0.path == "/device" } == 1)
    }
}
