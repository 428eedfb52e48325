import HalyardFoundation
import HalyardHTTP

extension MockResponse {
    /// Returns a response with the value's JSON at a key path: objects for names, and arrays for indices, whose earlier
    /// elements are `null`.
    static func json(_ value: some Encodable, at keyPath: String, mapper: ObjectMapper) -> MockResponse {
        let response = json(value, mapper: mapper)
        guard response.status == 200, case .data(var body) = response.content else { return response }
        for step in keyPath.split(separator: ".").reversed() {
            if let index = Int(step), (0..<1000).contains(index) {
                body = Data("[\(String(repeating: "null,", count: index))".utf8) + body + Data("]".utf8)
            } else {
                body = Data("{".utf8) + JSON.string(String(step)).encoded() + Data(":".utf8) + body + Data("}".utf8)
            }
        }
        return .data(body, contentType: "application/json")
    }
}
