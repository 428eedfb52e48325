import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport

// The design page "What a user writes", word for word, except where a comment says so.
// Its output goes to the parameter `print`, so that tests can read it.

// `User`, `MusicError` and the routes `me`, `user` and `login` of the page are in ReadmeExample.swift and
// BuildingTests.swift of this module, word for word.
// swift-format-ignore
struct Login: Codable, Sendable { var token: String; var user: User }
enum Sort: String, ParameterConvertible { case newest, oldest }

typealias Print = @Sendable (_ items: Any...) -> Void

/// It has another name here, because ReadmeExample.swift also has a `MusicAPI`.
enum DesignPage {
    // 1 -- a provider per API; everything but baseURL has a default
    struct MusicAPI: HTTPProvider {
        let baseURL = URL(string: "https://api.example.com/v1")!
        let additionalHeaders = ["Accept-Language": "en"]
        let additionalParams = ["token": "d71106a0"]
        var client = HTTPClient.shared

        func validate(_ response: HTTPResponse) async throws {
            try response.requireSuccess()
            if let code = try? response.json()["error"]["code"].int {
                throw MusicError(code: code)
            }
        }
        // swift-format-ignore
        func shouldContinue(with error: any Error) async -> Bool {
            if error == HTTPError.status(401) { await signOut(); return false }
            return true
        }
        func signOut() async {}
    }
}

// 2 -- routes, anywhere
extension Route {
    static func search(_ text: String, since: Date?, tags: [String]) -> Route {
        Route(path: "/search", params: ["q": text, "since": since, "tags": tags, "sort": Sort.newest, "count": 8])
    }
    // swift-format-ignore
    static func about(_ text: String) -> Route { Route(path: "/user/about", method: .put, params: ["text": text], encoding: .form) }
    static func picture(_ file: URL) -> Route {
        Route(
            path: "/profile/picture", method: .post,
            multipart: [.text("jane", name: "user"), .file(file, name: "image")])
    }
    static func rename(_ user: User) -> Route { Route(path: "/user/\(user.id)", method: .put, body: .json(user)) }

    // The page uses these two without declaring them.
    static let dump = Route(path: "/dump")
    static let events = Route(path: "/events")
}

// 6 -- typed endpoints
extension Endpoint<Void, User> { static let me = Self(.get, "/me") }

// 3 -- callbacks: main actor unless `on:` names a queue; late handlers are still called; many handlers are allowed
extension DesignPage {
    @MainActor
    final class Screen {
        struct Bar {
            let log: Log<String>
            var fraction = 0.0 { didSet { log.add("bar \(fraction)") } }
        }
        struct Spinner {
            let log: Log<String>
            func stop() { log.add("stop") }
        }
        var bar: Bar
        let spinner: Spinner
        var title = "" { didSet { spinner.log.add("title \(title)") } }

        init(_ log: Log<String>) { (bar, spinner) = (Bar(log: log), Spinner(log: log)) }

        // `let api = MusicAPI()` on the page. Here it is a parameter, because its client must use the test's server.
        func upload(_ api: MusicAPI, _ file: URL, _ print: @escaping Print) {
            api.request(.picture(file))
                .uploadProgress { self.bar.fraction = $0.fraction ?? 0 }
                .responseJSON { response in self.title = response.value?["name"].string ?? "" }
                .responseObject { (response: Response<User>) in print(response.result) }
                .onEnd { self.spinner.stop() }
        }
    }

    static func callbacks(_ api: MusicAPI, _ print: @escaping Print) {
        api.request(.me).responseValue(.data, on: .global()) { print($0.status ?? 0, $0.data.count) }
        api.request(.about("hi")).start()
    }

    // 4 -- futures
    static func futures(_ api: MusicAPI, _ print: @escaping Print) {
        api.request(.login("foo@example.com", "bar")).future(of: Login.self)
            .flatMap { api.request(.user($0.user.id)).future(of: User.self) }
            .timeout(after: .seconds(10)).recover { _ in User(id: "0", name: "guest") }
            .onSuccess { print($0.name) }.onFailure { print($0) }
    }

    // 5 -- await; cancelling the task cancels the request
    static func awaits(_ api: MusicAPI, _ file: URL, _ print: Print) async throws {
        let user: User = try await api.request(.me).object()
        let (a, b) = try await zip(
            api.request(.me).future(of: JSON.self), api.request(.user("2")).future(of: User.self)
        ).value
        for await progress in api.request(.picture(file)).start().progress(.upload) { print(progress.fraction ?? 0) }
        let saved = try await api.request(.dump).download(to: file)
        for try await line in api.request(.events).lines { print(line) }
        // Not on the page: the outcome.
        print(user.name, a["name"].string ?? "", b.name, saved.lastPathComponent)
    }

    // swift-format-ignore
    static func failures(_ api: MusicAPI, _ print: Print) async throws {
        do { _ = try await api.request(.user("0")).data() }
        catch HTTPError.status(404) { print("no such user") }
        catch let error as HTTPError { print(error.status ?? 0, error.response?.text ?? "", error.sendCount) }
    }

    // 6 -- typed endpoints: declared once, wrong arguments do not compile
    // swift-format-ignore
    enum People {
        static let patch  = Endpoint(.patch,  "/users/{id}", .json(User.self), .path("id"), .query("age_gt", as: Int?.self), returning: User.self)
        static let delete = Endpoint(.delete, "/users/{id}", .path("id"))
        static let upload = Endpoint(.post, "/media/{user}", .path("user"), .part("image", filename: "image.png", contentType: "image/png"), returning: User.self)
    }

    static func endpoints(_ api: MusicAPI, _ print: @escaping Print) async throws {
        let me = try await api.send(.me)
        let patched = try await api.send(People.patch(me, "42", nil))
        let call = api.call(People.patch(me, "42", 20))
        call.enqueue { response in print(response.isSuccessful) }
        // Not on the page: the outcome, and the two others.
        print(me.name, patched.name)
        try await api.send(People.delete("7"))
        print(try await api.send(People.upload("9", Data("png".utf8))).name)
    }

    static func blocking(_ api: MusicAPI, _ me: User) -> Response<User> {
        let call = api.call(People.patch(me, "42", 20))
        let response = call.perform()
        return response
    }

    // 7 -- no provider, and the short way
    // "https://example.com/api/user/1" on the page: through the shared client, so the test's server it must be.
    static func noProvider(_ base: URL, _ print: @escaping Print) {
        DefaultProvider.request("\(base)/api/user/1").responseJSON { print($0.result) }
    }

    static func shortWay(_ api: MusicAPI, _ print: Print) async throws {
        let fibonacci: [Int] = try await api.invoke(.get, "test/fibonacci", arguments: ["count": 8])
        print(fibonacci)
    }

    // 8 -- tests: the whole pipeline runs, nothing leaves the process, nothing is global
    static func tests(_ login: Login) -> (StubTransport, MusicAPI) {
        let stub = StubTransport()
            .on(.get, "/user/{id}", .json(User(id: "1", name: "Ann")))
            .on(.post, "/login", .status(503, retryAfter: 2), .json(login))
        let tested = MusicAPI(client: HTTPClient(transport: stub))
        return (stub, tested)
    }
}
