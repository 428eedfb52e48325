import Foundation
import HalyardAsync

/// `stream-examples URL`: reads each kind of stream, and pages and a failure, from the server of server.py. It ends with
/// status 1 if anything is missing.
@main
struct Streams {
    struct Prompt: Codable, Sendable { var text: String }
    struct Delta: Codable, Sendable { var text: String }
    struct Item: Codable, Sendable { var id: Int }

    struct OrderFailure: Error, Decodable {
        var title: String
        var balance: Int
    }

    struct API: HTTPProvider {
        let baseURL: URL
        let failures = Failures.json(OrderFailure.self)
    }

    static func main() async throws {
        guard let url = CommandLine.arguments.dropFirst().first.flatMap(URL.init(string:)) else {
            print("stream-examples URL")
            exit(2)
        }
        let api = API(baseURL: url)

        var words: [String] = []
        let chat = Route(path: "/chat", method: .post, body: .json(Prompt(text: "streams of typed values")))
        for try await delta in api.request(chat).events(of: Delta.self, until: "[DONE]") { words.append(delta.text) }
        check("events of a POST", words, ["streams", "of", "typed", "values"])

        var numbers: [String] = []
        for try await event in api.request(Route(path: "/feed")).events.reconnecting() {
            numbers.append("\(event.name) \(event.id ?? "-") \(event.data)")
        }
        check("events over several connections", numbers, (1...9).map { "tick \($0) \($0)" })

        var ids: [Int] = []
        for try await item in api.request(Route(path: "/watch")).lines(as: Item.self) { ids.append(item.id) }
        check("lines of JSON", ids, Array(1...100))

        ids = []
        let export = api.request(Route(path: "/export"))
        for try await item in export.elements(of: Item.self, at: "data.users") { ids.append(item.id) }
        check("elements of an array", ids, Array(1...100))

        ids = []
        for try await item in api.pages(Route(path: "/items"), by: .link).items(of: Item.self) { ids.append(item.id) }
        check("items of pages", ids, Array(1...15))

        do {
            try await api.request(Route(path: "/orders", method: .post)).void()
            check("a failure", "success", "a failure")
        } catch let failure as OrderFailure {
            check("a failure of the API's type", failure.balance, 30)
        }
    }

    private static func check<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
        print("\(what): \(found == expected ? "as expected" : "\(found), and not \(expected)")")
        if found != expected { exit(1) }
    }
}
