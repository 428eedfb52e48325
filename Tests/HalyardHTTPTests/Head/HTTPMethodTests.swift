import HalyardHTTP
import Testing

struct HTTPMethodTests {
    @Test(arguments: ["", "GET ", "G\r\nET", "GÉT", "a:b"])
    func `a method that is not a token is rejected, and the error names it`(name: String) {
        #expect(throws: HTTPError(.invalidMethod(name))) { try HTTPMethod(name) }
    }

    @Test func `a method is any token, with its case kept`() throws {
        #expect(try HTTPMethod("purge").rawValue == "purge")
        #expect(try HTTPMethod("GET") == .get)
    }
}
