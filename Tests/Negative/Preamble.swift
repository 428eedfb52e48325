// The API of all cases, with ten endpoints. It compiles by itself, without annotations for the compiler, and without
// expressions that take long to check.
import Foundation
import HalyardEndpoints

struct User: Codable, Sendable { var id = "", name = "" }
struct SignUp: Sendable { var name = "", team = "", picture: Data? }
struct API: HTTPProvider { let baseURL = URL(string: "https://api.example.com/v1")! }
let api = API()

enum People {
    static let all = Endpoint(.get, "/users", .query("page", as: Int.self), returning: [User].self)
    static let find = Endpoint(.get, "/users/{id}", .path("id"), returning: User.self)
    static let add = Endpoint(.post, "/users", .json(User.self), returning: User.self)
    static let patch = Endpoint(
        .patch, "/users/{id}", .json(User.self), .path("id"), .query("age_gt", as: Int?.self), returning: User.self)
    static let delete = Endpoint(.delete, "/users/{id}", .path("id"))
    static let upload = Endpoint(
        .post, "/media/{user}", .path("user"), .part("image", filename: "image.png", contentType: "image/png"))
    static let login = Endpoint(
        .post, "/login", .field("name"), .field("password"), encoding: .form, returning: JSON.self
    ) { name, _ in
        .json(["token": name])
    }
    static let signUp = Endpoint(
        .post, "/teams/{team}/users",
        .group(
            SignUp.self, .init(\.team, .path("team")), .init(\.name, .field("name")),
            .init(\.picture, .part("picture", as: Data?.self))),
        returning: User.self)
    static let names = Endpoint(.get, "/users", .query("team", as: String?.self), .header("X-Reason"))
        .reading(.object([String].self, at: "data.names"))
}

extension Endpoint<Void, User> { static let me = Self(.get, "/me") }
extension Route { static let me = Route(path: "/me") }
