import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// The hooks of a provider.
struct HookTests {
    struct DeezerError: Error, Equatable {
        var code: Int
        var message: String
    }

    static let deezer: @Sendable (HTTPResponse) async throws -> Void = { response in
        try response.requireSuccess()
        guard let error = try? response.json()["error"], let code = error["code"].int else { return }
        throw DeezerError(code: code, message: error["message"].string ?? "")
    }

    @Test("by default a 404 fails with its response, and a failed connection with another kind", .behaviors(55))
    func defaultValidate() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(404))
        let response = await response { TestAPI(server).request(.me).responseData($0) }
        #expect(response.error! == HTTPError.status(404))
        #expect(response.status == 404)
        #expect(response.data.isEmpty)

        let port = server.port
        server.stop()
        await #expect(throws: HTTPError(.cannotConnect("http://127.0.0.1:\(port)"))) {
            try await TestAPI(server).request(.me).data()
        }
    }

    @Test("validate can accept every status; decoding JSON from an empty body then fails", .behaviors(56))
    func acceptAll() async throws {
        let server = try LoopbackServer().on(.get, "/api/me", .status(401))
        let api = TestAPI(server).with(\.onValidate) { _ in }
        let data = await response { api.request(.me).responseData($0) }
        #expect(data.error == nil)
        #expect(data.status == 401)
        await #expect(throws: HTTPError(.emptyResponse)) { try await api.request(.me).json() }
    }

    @Test("validate can throw the API's own error for one 200 and accept another", .behaviors(57))
    func ownErrors() async throws {
        let server = try LoopbackServer()
            .on(.get, "/api/user/0", .json(text: #"{"error":{"code":800,"message":"no data"}}"#))
            .on(.get, "/api/user/1", .json(text: #"{"id":1}"#))
        let api = TestAPI(server).with(\.onValidate, Self.deezer)
        let failed = await response { api.request(.user("0")).responseJSON($0) }
        #expect(failed.error as? DeezerError == DeezerError(code: 800, message: "no data"))
        #expect(!failed.data.isEmpty)
        #expect(try await api.request(.user("1")).json()["id"].int == 1)
    }

    @Test(
        "if shouldContinue returns false, no callback runs and awaits throw .stopped; it is called once",
        .behaviors(59))
    func stopped() async throws {
        let asked = Counter()
        let server = try LoopbackServer().on(.get, "/api/me", .status(401)).on(.get, "/api/user/1", .status(404))
        let api = TestAPI(server).with(\.onFailure) { error in
            asked.increment()
            return error != HTTPError.status(401)
        }
        let request = api.request(.me)
        request.responseData { _ in Issue.record("a stopped request called its handler") }
            .responseValue(.json, on: .global()) { _ in Issue.record("a stopped request called its handler") }
        do {
            _ = try await request.data()
            Issue.record("it did not end as stopped")
        } catch HTTPError(.stopped) {}
        #expect(asked.count == 1)

        do { _ = try await request.void() } catch let error as HTTPError {
            #expect(error.cause! == HTTPError.status(401))
            #expect(error.response?.status == 401)
        }
        await #expect(throws: HTTPError.status(404)) { try await api.request(.user("1")).data() }
        #expect(asked.count == 2)
    }

    @Test("shouldContinue is also called for requests that cannot be built, but not for cancellations", .behaviors(59))
    func askedAboutAll() async throws {
        let asked = Counter()
        let server = try LoopbackServer().on(.get, "/api/me", .status(200).delayed(by: .seconds(60)))
        let api = TestAPI(server).with(\.onFailure) { _ in
            asked.increment()
            return true
        }
        await #expect(throws: HTTPError(.invalidPath("/user/.."))) { try await api.request(.user("..")).data() }
        #expect(asked.count == 1)

        let task = Task { try await api.request(.me).data() }
        try await eventually("a request has arrived") { !server.requests.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(asked.count == 1)
    }

    @Test("the program's own errors arrive unchanged and can be compared", .behaviors(60))
    func comparable() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server).with(\.onValidate) { _ in throw DeezerError(code: 1, message: "x") }
        await #expect(throws: DeezerError(code: 1, message: "x")) { try await api.request(.me).data() }
        #expect(HTTPError.status(404) == HTTPError.status(404))
        #expect(HTTPError.status(404) != HTTPError.status(405))
        #expect(HTTPError(.cannotConnect("a")) != HTTPError(.cannotConnect("b")))
    }
}
