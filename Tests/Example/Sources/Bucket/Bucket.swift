import Foundation
import HalyardAsync
import HalyardOAuth
import HalyardSigning

// Signs in by a code that the user types on another device, gets temporary keys for the login, and lists a bucket:
//
//     bucket https://login.example.com https://files.s3.eu-central-1.amazonaws.com

/// The service that gives keys to a user who has signed in.
struct KeyAPI: HTTPProvider {
    let baseURL: URL
    let authentication: Authentication

    struct Keys: Decodable, Sendable {
        let id, secret, token: String
        let expiration: Date
    }
}

/// The bucket.
struct BucketAPI: HTTPProvider {
    let baseURL: URL
    let authentication: Authentication
}

@main
struct Bucket {
    let login, storage: URL
    let store: any OAuthTokenStore
    var say: @Sendable (String) -> Void = { print($0) }

    static func main() async throws {
        let urls = CommandLine.arguments.dropFirst().compactMap { URL(string: $0) }
        guard urls.count == 2 else { fatalError("bucket LOGIN STORAGE") }
        let file = URL.homeDirectory.appending(path: ".bucket-login")
        let bucket = Bucket(login: urls[0], storage: urls[1], store: OAuthFileStore(file))
        for name in try await bucket.list() { print(name) }
    }

    /// Returns the names of the files in the bucket. The user signs in if nobody has before.
    func list() async throws -> [String] {
        let client = OAuthClient(id: "bucket", server: try await OAuthServer.discover(login))
        let session = OAuthSession(client, store: store)
        if try await store.load() == nil {
            let token = try await client.deviceLogin(scopes: ["files"]) { code in
                say("Open \(code.verificationURL) and type \(code.userCode)")
            }
            try await session.signIn(token)
        }
        let keys = KeyAPI(baseURL: login, authentication: .oauth(session))
        let signature = AWSSignature(region: "eu-central-1", service: "s3") {
            let new = try await keys.request(Route(path: "/keys")).object(KeyAPI.Keys.self)
            return AWSCredentials(
                accessKeyID: new.id, secretAccessKey: new.secret, sessionToken: new.token, expiration: new.expiration)
        }
        let bucket = BucketAPI(baseURL: storage, authentication: Authentication(signature))
        let text = try await bucket.request(Route(path: "/", params: ["list-type": 2])).text()
        return text.matches(of: /<Key>([^<]*)<\/Key>/).map { String($0.output.1) }
    }
}
