import Foundation
import HalyardAsync

nonisolated struct User: Codable, Sendable {
    var id: String
    var name: String
}

struct MusicAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    let additionalHeaders = ["Accept-Language": "en"]
}

extension Route {
    static let me = Route(path: "/me")
    static func user(_ id: String) -> Route { Route(path: "/user/\(id)") }
    static func search(_ text: String, since: Date?) -> Route {
        Route(path: "/search", params: ["q": text, "since": since, "count": 8])
    }
}

nonisolated struct MusicError: Error, Equatable {
    var code: Int
}

// The API reports its own errors in responses with the status 200.
extension MusicAPI {
    func validate(_ response: HTTPResponse) async throws {
        try response.requireSuccess()
        if let code = try? response.json()["error"]["code"].int {
            throw MusicError(code: code)
        }
    }
}

func greet(_ api: MusicAPI) async throws -> [String] {
    let me: User = try await api.request(.me).object()
    let found = try await api.request(.search("halyard", since: nil)).json()
    let first = found["tracks"][0]["title"].string ?? "nothing"
    do {
        _ = try await api.request(.user("a/b?c")).object(User.self)
    } catch HTTPError.status(404) {
        return [me.name, first, "no such user"]
    }
    return [me.name, first]
}
