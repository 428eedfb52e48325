import Foundation
import HalyardAsync
import HalyardTesting
import Testing

// The examples of the article on JSON, word for word.

private struct API: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com")!
    var client = HTTPClient.shared
}

// swift-format-ignore
private func run(_ api: API, _ name: String, _ age: Int) async throws -> [String] {
let json = try await api.request(.me).json()
do {
let name = json["name"].string ?? "nobody"
let city = json["addresses"][0]["city"].string
let tags = json["tags"].array?.compactMap(\.string) ?? []
for (key, value) in json["links"].object ?? [:] { print(key, value) }
_ = (name, city, tags)
}
let city = json["addresses"][0]["city"].string
let owner = try json["data"]["owner"].decode(User.self)
var body: JSON = [
    "name": "Ada", "age": JSON(age), "tags": ["a", "b"], "manager": nil,
]
let add = Route(
    path: "/users", method: .post,
    body: .json(["name": name, "age": age, "id": UUID()]))
body["name"] = "Grace"
body["address"]["city"] = JSON(city)
body.remove("manager")
try await api.request(add).void()
return [owner.name, "\(body)"]
}

struct WorkingWithJSONTests {
    @Test("the article's examples work") func works() async throws {
        let stub = StubTransport()
            .on(
                .get, "/me",
                .json(["addresses": [["city": "London"]], "data": ["owner": ["id": "1", "name": "Ann"]]])
            )
            .on(.post, "/users", .status(201))
        let result = try await run(API(client: HTTPClient(transport: stub)), "Bob", 7)
        #expect(result == ["Ann", #"{"name":"Grace","age":7,"tags":["a","b"],"address":{"city":"London"}}"#])
        #expect(stub.requests.last?.text.hasPrefix(#"{"name":"Bob","age":7,"id":""#) == true)
    }
}
