import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardOAuth
import HalyardTesting
import TestSupport

/// A server that issues tokens with numbers, and accepts the last one.
final class TokenServer: Sendable {
    let loopback: LoopbackServer
    private let issued = Lock((count: 0, refresh: "r0"))

    /// `rotates` says whether each refresh token is valid once, and `lifetime` is the value of `expires_in` in JSON.
    init(lifetime: String? = "3600", rotates: Bool = true) throws {
        loopback = try LoopbackServer()
        let issued = issued
        let end = lifetime.map { #","expires_in":\#($0)"# } ?? ""
        loopback.on(.post, "/token") { request in
            issued.withLock { issued in
                let refresh = request.form["refresh_token"]
                if let refresh, refresh != issued.refresh {
                    return .json(text: #"{"error":"invalid_grant","error_description":"used"}"#, status: 400)
                }
                issued.count += 1
                if rotates { issued.refresh = "r\(issued.count)" }
                let next = rotates && refresh != nil ? #","refresh_token":"\#(issued.refresh)""# : ""
                return .json(text: #"{"access_token":"a\#(issued.count)","token_type":"Bearer"\#(end)\#(next)}"#)
            }
        }
        loopback.on(.get, "/data") { request in
            let isValid = issued.withLock { request.headers["Authorization"] == "Bearer a\($0.count)" }
            return isValid ? .text("data") : .status(401)
        }
    }

    var tokenRequests: [RecordedRequest] { loopback.requests.filter { $0.path == "/token" } }

    func client(_ proof: OAuthClient.Proof = .none, clock: some Clock<Duration> = ContinuousClock()) -> OAuthClient {
        OAuthClient(id: "my app", proof: proof, server: loopback.endpoints, clock: clock)
    }

    func api(_ session: OAuthSession) -> DataAPI {
        DataAPI(baseURL: loopback.baseURL, authentication: .oauth(session))
    }
}

/// An API with one route, which needs a token.
struct DataAPI: HTTPProvider {
    let baseURL: URL
    let authentication: Authentication
    var client = HTTPClient.shared

    func data() async throws -> String { try await request(Route(path: "/data")).text() }
}

extension LoopbackServer {
    /// The server as an authorization server with a token endpoint.
    var endpoints: OAuthServer { OAuthServer(tokenURL: baseURL.appending(path: "token")) }
}

extension RecordedRequest {
    /// The fields of a form.
    var form: [String: String] {
        let items = URLComponents(string: "?" + text.replacing("+", with: "%20"))?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}
