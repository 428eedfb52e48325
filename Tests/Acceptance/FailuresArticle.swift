import Foundation
import HalyardAsync
import HalyardTesting
import Testing

// The examples of the article on failures, word for word.

struct ShopFailure: Error, Decodable {
    let code: String
}

struct ShopAPI: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com")!
    let failures = Failures.json(ShopFailure.self)
}

extension Route {
    fileprivate static let buy = Route(path: "/orders", method: .post)
}

private func catching(_ api: ShopAPI) async throws {
    do {
        try await api.request(.buy).void()
    } catch let failure as ShopFailure {
        print(failure.code)
    } catch let error as HTTPError {
        print(error)
    }
}

private struct OutOfStock: Error, Decodable { var available: Int }

private struct Several: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com")!
    let failures = Failures.json(OutOfStock.self, at: "error", for: 409...409)
        .followed(by: .json(ShopFailure.self))
        .followed(
            by: .custom { response in
                response.mediaType == "text/plain"
                    ? Plain(text: response.text) : nil
            })
}

private struct Plain: Error { let text: String }

private struct KeepingAPI: HTTPProvider {
    let baseURL = URL(string: "https://api.example.com")!
    let client: HTTPClient

    struct ShopError: Error {
        let status: Int
        let failure: ShopFailure
        let requestID: String?
    }

    let failures = Failures.custom { response in
        guard let failure = try? response.object(ShopFailure.self) else {
            return nil  // the HTTPError stays
        }
        return ShopError(
            status: response.status, failure: failure,
            requestID: response.headers["X-Request-ID"])
    }
}

struct FailuresArticleTests {
    @Test("an error made in a closure keeps the status and a header, and other bodies keep their HTTPError")
    func keepsStatus() async throws {
        let stub = StubTransport().on(
            .post, "/orders", .json(["code": "closed"], status: 409, headers: ["X-Request-ID": "a1"]),
            .text("down", status: 503))
        let api = KeepingAPI(client: HTTPClient(transport: stub))
        let error = await #expect(throws: KeepingAPI.ShopError.self) { try await api.request(.buy).void() }
        #expect(error?.status == 409 && error?.failure.code == "closed" && error?.requestID == "a1")
        await #expect(throws: HTTPError.status(503)) { try await api.request(.buy).void() }
    }
}

private func problem(_ api: ShopAPI) async throws {
    do {
        try await api.request(.buy).void()
    } catch let error as HTTPError {
        guard let problem = error.problem else { throw error }
        print(
            problem.type, problem.title ?? "", problem.detail ?? "",
            problem.members["balance"]?.int ?? 0)
    }
}
