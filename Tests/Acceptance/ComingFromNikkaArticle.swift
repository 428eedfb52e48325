import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

// The examples of the article for users of Nikka, word for word, and more code that the tests run.

struct ContactsAPI {
    var baseURL = URL(string: "https://api.example.com/v1")!
    let additionalHeaders = ["Locale": "en-US"]
    let additionalParams = ["token": "d71106a0"]
    var client = HTTPClient.shared
}

extension ContactsAPI: HTTPProvider {
    func validate(_ response: HTTPResponse) async throws {
        try response.requireSuccess()
        let error = try? response.json()["error"]
        if let code = error?["code"].int {
            throw APIError(code: code, message: error?["message"].string ?? "")
        }
    }

    func shouldContinue(with error: any Error) async -> Bool {
        guard error == HTTPError.status(401) else { return true }
        signedOut()
        return false
    }
}

extension Route {
    static let account = Route(path: "/me")
    static func contact(_ id: String) -> Route {
        Route(path: "/contacts/\(id)")
    }
    static let signIn = { @Sendable (email: String, word: String) in
        Route(
            path: "/login", method: .post,
            params: ["email": email, "password": word])
    }
    static func motto(_ text: String) -> Route {
        Route(
            path: "/me/about", method: .put, params: ["text": text],
            headers: ["X-Draft": "1"], encoding: .form)
    }
}

private struct APIError: Error, Equatable {
    var code: Int
    var message: String
}

private struct Contact: Codable, Sendable, Equatable {
    var id: String
    var name: String
}

private let signOuts = Log<Void>()
private func signedOut() { signOuts.add(()) }

private typealias Show = @MainActor @Sendable (String) -> Void

private enum NikkaArticle {
    static func callbacks(_ api: ContactsAPI, show: @escaping Show) {
        api.request(.account).responseJSON { response in
            show(response.value?["name"].string ?? "nobody")
        }
        api.request(.contact("7")).responseObject { (response: Response<Contact>) in
            switch response.result {
            case .success(let contact): show(contact.name)
            case .failure(let error): show("\(error)")
            }
        }
        api.request(.motto("Hey!!")).responseValue(.void, on: .global()) { response in
            print(response.status ?? 0)
        }
    }

    static func keyPath(_ api: ContactsAPI, show: @escaping Show) {
        api.request(.account).responseObject(of: [Contact].self, at: "data.contacts") {
            response in
            show(response.value?.first?.name ?? "nobody")
        }
    }

    static func picture(_ api: ContactsAPI, _ jpeg: Data, _ manual: URL, show: @escaping Show) -> Request {
        let route = Route(
            path: "/me/picture", method: .post,
            multipart: [
                .data(jpeg, name: "image", filename: "image.jpg"),
                .file(manual, name: "manual"),
            ])
        let upload = api.request(route)
            .uploadProgress { show("\($0.completed)/\($0.total ?? 0)") }
            .responseJSON { response in show(response.value?["id"].string ?? "none") }
        return upload
    }

    static func futures(_ api: ContactsAPI, show: @escaping Show) async throws -> [Contact] {
        let signedIn: Future<Contact> = api.request(.signIn("foo@example.com", "bar"))
            .future(of: JSON.self)
            .flatMap { api.request(.contact($0["id"].string ?? "")).future() }
            .onSuccess { show($0.name) }.onFailure { show("\($0)") }
        let contact = try await signedIn.value

        let json = try await api.request(.account).json()  // in place of an Observable
        let (me, friend) = try await zip(
            api.request(.account).future(of: Contact.self),
            api.request(.contact("8")).future(of: Contact.self)
        ).value
        return [contact, me, friend, Contact(id: "json", name: json["name"].string ?? "")]
    }

    static func more(_ upload: Request) -> (Route, HTTPClient) {
        upload.cancel()  // observers get HTTPError.cancelled; a cancelled task, or future, ends its request as well
        let hasty = Route(path: "/me").timeout(.seconds(5)).retry(.upTo(attempts: 3))
        var engine = EngineConfiguration(connectionsPerHost: 8, proxy: .direct)
        engine.tls.minimumVersion = .tls13
        let client = HTTPClient(engine: engine, interceptors: [], log: .console)
        return (hasty, client)
    }

    static func stub() -> (StubTransport, ContactsAPI) {
        let stub = StubTransport()
            .on(.get, "/contacts/{id}", .json(["id": "7", "name": "Ann"]), .status(401))
        let tested = ContactsAPI(client: HTTPClient(transport: stub))
        return (stub, tested)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct ComingFromNikkaTests {
    private let log = Log<String>()
    private let server: LoopbackServer
    private let api: ContactsAPI

    init() throws {
        server = try .accepting()
            .on(.get, "/me", .json(Contact(id: "1", name: "Ann")))
            .on(.get, "/contacts/{id}") { .json(Contact(id: $0.pathParameters["id"] ?? "", name: "Bob")) }
        api = ContactsAPI(baseURL: server.baseURL)
    }

    @Test("callbacks get JSON and objects; a route sets a form and a header field")
    func callbacks() async throws {
        NikkaArticle.callbacks(api) { log.add($0) }
        try await eventually("all are sent") { server.requests.count == 3 && log.entries.count == 2 }
        #expect(log.entries.sorted() == ["Ann", "Bob"])
        let about = try #require(server.requests.first { $0.method == .put })
        #expect(about.text == "text=Hey%21%21&token=d71106a0" && about.headers["X-Draft"] == "1")
        #expect(server.requests.allSatisfy { $0.headers["Locale"] == "en-US" })
        try await api.request(.contact("a/b?c")).void()
        #expect(server.requests.last?.target == "/contacts/a%2Fb%3Fc?token=d71106a0")
    }

    @Test("a list below a key path")
    func keyPath() async throws {
        server.on(.get, "/me", .json(["data": ["contacts": [Contact(id: "3", name: "Eve")]]]))
        NikkaArticle.keyPath(api) { log.add($0) }
        try await eventually("it is there") { log.entries == ["Eve"] }
    }

    @Test("validate throws for an error inside a 200, and shouldContinue stops a 401 before callbacks")
    func hooks() async throws {
        let (stub, tested) = NikkaArticle.stub()
        #expect(try await tested.request(.contact("7")).object(Contact.self) == Contact(id: "7", name: "Ann"))
        await #expect(throws: HTTPError(.stopped)) { try await tested.request(.contact("7")).void() }
        #expect(signOuts.entries.count == 1)
        stub.on(.get, "/contacts/{id}", .json(["error": ["code": 800, "message": "no data"]]))
        await #expect(throws: APIError(code: 800, message: "no data")) {
            try await tested.request(.contact("7")).void()
        }
    }

    @Test("a picture and a file are uploaded with progress; a cancelled request has an error of that kind")
    func picture() async throws {
        let manual = try TemporaryFolder()
        let file = try manual.write("read me", to: "manual.txt")
        server.on(.post, "/me/picture", .json(["id": "9"]))
        let upload = NikkaArticle.picture(api, Data("jpeg".utf8), file) { log.add($0) }
        try await upload.void()
        try await eventually("the callback is called") { log.entries.last == "9" }
        let form = try ParsedForm(server.request)
        let names = [
            #"name="token""#, #"name="image"; filename="image.jpg""#, #"name="manual"; filename="manual.txt""#,
        ]
        #expect(form.dispositions == names && form.parts[1].contentType == "image/jpeg")

        let cancelled = api.request(.account)
        let (hasty, client) = NikkaArticle.more(cancelled)
        await #expect(throws: HTTPError.cancelled) { try await cancelled.void() }
        #expect(hasty.options.timeout == .seconds(5) && client.interceptors.isEmpty)
    }

    @Test("futures and awaits return the values of Nikka's futures and observables")
    func futures() async throws {
        server.on(.post, "/login", .json(["id": "7"]))
        let contacts = try await NikkaArticle.futures(api) { log.add($0) }
        #expect(contacts.map(\.id) == ["7", "1", "8", "json"] && contacts.last?.name == "Ann")
        try await eventually("the handler is called") { log.entries == ["Bob"] }
        #expect(try server.requests[0].json() == ["email": "foo@example.com", "password": "bar", "token": "d71106a0"])
    }
}
