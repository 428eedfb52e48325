import Foundation
import HalyardCodable
import Testing

struct ObjectTests {
    struct Event: Decodable, Equatable { var at: Date }

    @Test func `dates are milliseconds since 1970`() throws {
        let url = try #require(URL(string: "https://example.com/"))
        let response = HTTPResponse(status: 200, data: Data(#"{"at":1500}"#.utf8), url: url)
        #expect(try response.object(Event.self).at == Date(timeIntervalSince1970: 1.5))
    }
}
