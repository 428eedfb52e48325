import HalyardHTTP
import Testing

struct HTTPMethodTests {
    @Test(arguments: ["", "GET ", "G\r\nET", "GÉT", "a:b"])
    func `refuses what is no token, and names it`(name: String) {
        #expect(throws: HTTPError(.invalidMethod(name))) { try HTTPMethod(name) }
    }

    @Test func `takes any token, as it is written`() throws {
        #expect(try HTTPMethod("purge").rawValue == "purge")
        #expect(try HTTPMethod("GET") == .get)
    }
}
