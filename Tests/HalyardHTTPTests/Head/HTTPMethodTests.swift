import HalyardHTTP
import Testing

struct HTTPMethodTests {
    @Test(arguments: ["", "GET ", "G\r\nET", "GÉT", "a:b"])
    func `the error for a method that is not a token names it`(name: String) {
        #expect(throws: HTTPError(.invalidMethod(name))) { try HTTPMethod(name) }
    }

    @Test func `a method can be any token and keeps its case`() throws {
        #expect(try HTTPMethod("purge").rawValue == "purge")
        #expect(try HTTPMethod("GET") == .get)
    }
}
