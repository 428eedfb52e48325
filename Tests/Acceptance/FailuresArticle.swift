import Foundation
import HalyardAsync

// The examples of the article on failures, word for word: they compile, and none is run.

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

private func problem(_ api: ShopAPI) async throws {
    do { try await api.request(.buy).void() } catch let error as HTTPError {
        guard let problem = error.problem else { throw error }
        print(
            problem.type, problem.title ?? "", problem.detail ?? "",
            problem.members["balance"]?.int ?? 0)
    }
}
