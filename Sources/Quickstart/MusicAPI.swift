import Foundation
import HalyardAsync

struct User: Codable, Sendable, Equatable {
    var id: String
    var name: String
}

/// An error of the API itself, which it sends in a response with the status 200.
struct MusicError: Error, Equatable {
    var code: Int
    var message: String
}

/// The provider of the API: its base URL, the header fields and parameters of every request, and what is a success.
struct MusicAPI {
    var baseURL: URL
    var client = HTTPClient.shared
    let additionalHeaders = ["Accept-Language": "en"]
    let additionalParams = ["client": "quickstart"]
}

// The extension with the hooks declares the conformance, so that the compiler warns about a misspelled hook.
extension MusicAPI: HTTPProvider {
    func validate(_ response: HTTPResponse) async throws {
        try response.requireSuccess()
        guard let error = try? response.json()["error"], let code = error["code"].int else { return }
        throw MusicError(code: code, message: error["message"].string ?? "")
    }
}

// Routes are values, and can be declared anywhere.
extension Route {
    static let me = Route(path: "/me")
    static let charts = Route(path: "/charts")
    static let dump = Route(path: "/dump")
    static func upload(_ file: URL) -> Route {
        Route(path: "/upload", method: .post, multipart: [.text("jane", name: "user"), .file(file, name: "track")])
    }
    static func user(_ id: String) -> Route { Route(path: "/user/\(id)") }
    static func track(_ id: Int) -> Route { Route(path: "/track/\(id)") }
    static func search(_ text: String) -> Route { Route(path: "/search", params: ["q": text]) }
}
