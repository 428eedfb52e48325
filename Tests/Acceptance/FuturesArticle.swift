import Foundation
import HalyardFutures
import HalyardTesting
import Testing

// The examples of the article on futures, letter by letter. They are run.

private struct Account: Codable, Sendable { var id: String }

private struct Person: Codable, Sendable {
    var name: String
    static let guest = Person(name: "guest")
}

private struct PeopleAPI: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com")!
    let client: HTTPClient
}

extension Route {
    fileprivate static func login(_ name: String) -> Route {
        Route(path: "/login", method: .post, params: ["name": name])
    }
    fileprivate static func person(_ id: String) -> Route { Route(path: "/people/\(id)") }
    fileprivate static func upload(_ picture: Data) -> Route {
        Route(path: "/pictures", method: .put, body: .data(picture))
    }
}

@Suite(.timeLimit(.minutes(3)))
private struct FuturesArticle {
    private let api = PeopleAPI(
        client: HTTPClient(
            transport: StubTransport()
                .on(.post, "/login", .json(Account(id: "1")))
                .on(.get, "/people/1", .json(Person(name: "Ann")))
                .on(.get, "/people/2", .status(404))
                .on(.put, "/pictures", .status(201))))

    @Test func `flatMap chains requests`() async throws {
        let shown = await withCheckedContinuation { continuation in
            let show: @Sendable (String) -> Void = { continuation.resume(returning: $0) }
            api.request(.login("ann@example.com")).future(of: Account.self)
                .flatMap { account in
                    api.request(.person(account.id)).future(of: Person.self)
                }
                .onSuccess { person in show(person.name) }
                .onFailure { error in show("\(error)") }
        }
        #expect(shown == "Ann")
    }

    @Test func `zip joins futures`() async throws {
        let both = zip(
            api.request(.person("1")).future(of: Person.self),
            api.request(.person("2")).future(of: Person.self).recover { _ in .guest })
        let (first, second) = try await both.value
        #expect(first.name == "Ann" && second.name == "guest")
    }

    @Test func `a future reports upload progress`() async {
        let picture = Data(count: 1000)
        let show: @Sendable (Double) -> Void = { #expect($0 == 1) }
        await withCheckedContinuation { continuation in
            let done: @Sendable () -> Void = { continuation.resume() }
            api.request(.upload(picture)).future(.void)
                .uploadProgress { progress in show(progress.fraction ?? 0) }
                .onComplete { _ in done() }
        }
    }
}
