import Foundation
import HalyardAsync
import HalyardFutures
import HalyardTesting
import TestSupport
import Testing

/// Rows 73, 74 and 112 of the acceptance table: objects deep inside, results, and awaits that give one value.
@Suite(.timeLimit(.minutes(3)))
struct KeyPathTests {
    static let nested = StubResponse.json(text: #"{"json":{"test":[1,2,3],"user":{"id":"1","name":"Ann"}}}"#)

    private func api(_ answer: StubResponse, _ more: StubResponse = .status(500)) throws -> TestAPI {
        TestAPI(try LoopbackServer().on(.get, "/api/me", answer, more))
    }

    @Test("callbacks, futures and awaits decode an object at a key path", .behaviors(73))
    func found() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", Self.nested)
        let api = TestAPI(server)
        let answered: Response<[Int]> = await response { api.request(.me).responseObject(at: "json.test", $0) }
        #expect(answered.value?.count == 3 && answered.value?.last == 3)
        let queued = await response {
            api.request(.me).responseValue(.object([Int].self, at: "json.test"), on: .global(), $0)
        }
        #expect(queued.value == [1, 2, 3])
        #expect(try await api.request(.me).future(of: [Int].self, at: "json.test").value == [1, 2, 3])
        #expect(try await api.request(.me).object([Int].self, at: "json.test") == [1, 2, 3])
        #expect(try await api.request(.me).value(.object([Int].self, at: "json.test")) == [1, 2, 3])
        #expect(try await api.request(.me).object(Int.self, at: "json.test.2") == 3)
        #expect(try await api.request(.me).object(User.self, at: "json.user") == User(id: "1", name: "Ann"))
        #expect(try await api.request(.me).object(String.self, at: "json.user.name") == "Ann")
    }

    @Test(
        "the error for a missing path names the path and the type", .behaviors(73),
        arguments: [
            ("json.tests", #""json.tests" is missing"#), ("jason.test", #""jason" is missing"#),
            ("json.test.3", #""json.test.3" is missing"#), ("json.user.name.first", #""json.user.name.first" is"#),
        ])
    func missing(path: String, words: String) async throws {
        let server = try LoopbackServer().on(.get, "/api/me", Self.nested)
        let error = await failure { _ = try await TestAPI(server).request(.me).object([Int].self, at: path) }
        #expect(error == HTTPError.decoding)
        #expect(error?.reason?.hasPrefix(words) == true, "\(error?.reason ?? "")")
        #expect(error?.reason?.contains("Array<Int>") == true)
        #expect(error?.status == 200 && error?.request != nil && error?.sendCount == 1)
    }

    @Test("an object in place of an array fails with an error that includes its cause", .behaviors(73))
    func another() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", Self.nested)
        let answered: Response<[Int]> = await response {
            TestAPI(server).request(.me).responseObject(at: "json.user", $0)
        }
        let error = try #require(answered.error as? HTTPError)
        #expect(error == HTTPError.decoding && error.cause is DecodingError)
        #expect(error.reason == #""json.user" is an object, where Array<Int> needs an array"#)

        let deep = await failure { _ = try await TestAPI(server).request(.me).object([String].self, at: "json.test") }
        #expect(deep?.reason == #""json.test[0]" is a number, where Array<String> needs String"#)
    }

    @Test("a result holds a value or an error and can be mapped", .behaviors(74))
    func result() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "7", name: "Ann")), .status(404))
        let api = TestAPI(server)
        struct NoNumber: Error {}
        let number: @Sendable (User) -> Result<Int, any Error> = { user in
            Int(user.id).map { .success($0) } ?? .failure(NoNumber())
        }
        let good: Response<User> = await response { api.request(.me).responseObject($0) }
        #expect(good.value?.name == "Ann" && good.error == nil)
        #expect(try good.result.map(\.name).get() == "Ann")
        #expect(try good.result.flatMap(number).get() == 7)
        #expect(throws: NoNumber.self) {
            try good.result.flatMap { number(User(id: "x\($0.id)", name: "")) }.get()
        }

        let bad: Response<User> = await response { api.request(.me).responseObject($0) }
        #expect(bad.value == nil && bad.error == HTTPError.status(404))
        #expect(throws: HTTPError.status(404)) { try bad.result.map(\.name).get() }
        #expect(throws: HTTPError.status(404)) { try bad.result.flatMap(number).get() }
        #expect(
            try bad.result.flatMapError { _ in Result<User, any Error>.success(User(id: "0", name: "")) }.get().id
                == "0")
    }

    @Test("an await returns one value or throws", .behaviors(112))
    func one() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "7", name: "Ann")))
        let api = TestAPI(server)
        let user: User = try await api.request(.me).object()
        #expect(user == User(id: "7", name: "Ann"))
        #expect(try await api.request(.me).json()["name"].string == "Ann")
        #expect(try await api.request(.me).data() == Data(#"{"id":"7","name":"Ann"}"#.utf8))
        #expect(try await api.request(.me).text() == #"{"id":"7","name":"Ann"}"#)
        #expect(try await api.request(.me).response().status == 200)
        #expect(server.requests.count == 5)

        server.on(.get, "/api/me", .status(404))
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).object(User.self) }
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).json() }
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).data() }
        await #expect(throws: HTTPError.status(404)) { try await api.request(.me).response() }
    }

    @Test("awaits chain, and the first one that throws ends the chain", .behaviors(112))
    func chain() async throws {
        let login = #"{"token":"t","user":{"id":"7","name":"Ann"}}"#
        let server = try LoopbackServer()
            .on(.post, "/api/login", .json(text: login), .status(403))
            .on(.get, "/api/user/7", .json(User(id: "7", name: "Ann")))
        let api = TestAPI(server)
        func signedIn() async throws -> User {
            let login = try await api.request(.login("a", "b")).object(Login.self)
            return try await api.request(.user(login.user.id)).object()
        }
        #expect(try await signedIn() == User(id: "7", name: "Ann"))
        await #expect(throws: HTTPError.status(403)) { try await signedIn() }
        #expect(server.requests.map(\.path) == ["/api/login", "/api/user/7", "/api/login"])
    }

    @Test("a request awaited by several tasks is sent once, and all get the same value", .behaviors(112))
    func shared() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .json(User(id: "7", name: "Ann")), .status(500))
        let request = TestAPI(server).request(.me)
        async let first = request.object(User.self)
        async let second = request.json()["id"].string
        #expect(try await first.id == "7")
        #expect(try await second == "7")
        #expect(try await request.text().contains("Ann"))
        #expect(server.requests.count == 1)
    }
}
