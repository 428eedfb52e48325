import HalyardHTTP
import Testing

/// Methods, header names and the character sets that both are checked with.
struct TokenTests {
    @Test func `the known methods are uppercase`() {
        let methods: [HTTPMethod] = [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
        #expect(
            methods.map(\.rawValue)
                == ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"])
        #expect(methods.map { "\($0)" } == methods.map(\.rawValue))
    }

    @Test(arguments: ["PURGE", "get", "M-SEARCH", "VERSION_CONTROL", "a1!#$%&'*+-.^_`|~"])
    func `a token is a valid method and header name and keeps its spelling`(_ token: String) throws {
        #expect(try HTTPMethod(token).rawValue == token)
        #expect(try HTTPHeaders.Name(token).rawValue == token)
    }

    static let noTokens = [
        "GET ", " GET", "GE T", "GET\r\nX: y", "G\nET", "G\rET", "G\0ET", "G\tET", "GÉT", "GET/", "G:T", "G,T", "G;T",
        "(GET)",
        "G\"T", "G@T", "G[T", "G\\T", "G{T", "G=T", "G?T", "G<T", "GET\u{7F}", "GET\u{301}", "\u{FF27}ET",
    ]

    @Test(arguments: noTokens)
    func `a name that is not a token is rejected with the name and the reason`(_ text: String) {
        let method = #expect(throws: HTTPError.self) { try HTTPMethod(text) }
        #expect(method?.kind == .invalidMethod(text))
        #expect(method?.reason == "it is not a token")
        let name = #expect(throws: HTTPError.self) { try HTTPHeaders.Name(text) }
        #expect(name == HTTPError(.invalidHeader(text)))
        #expect(name?.reason == "its name is not a token")
    }

    @Test func `empty text is neither a method nor a header name`() {
        #expect(#expect(throws: HTTPError.self) { try HTTPMethod("") }?.reason == "it is empty")
        #expect(#expect(throws: HTTPError.self) { try HTTPHeaders.Name("") }?.reason == "its name is empty")
    }

    @Test func `method names are case-sensitive, and header names are not`() throws {
        #expect(try HTTPMethod("get") != .get)
        #expect(try HTTPMethod("GET") == .get)
        #expect(try HTTPHeaders.Name("CONTENT-type") == .contentType)
        #expect(try HTTPHeaders.Name("CONTENT-type").hashValue == HTTPHeaders.Name.contentType.hashValue)
        #expect(try HTTPHeaders.Name("Content_Type") != .contentType)
        #expect(try "\(HTTPHeaders.Name("x-Odd"))" == "x-Odd")
    }

    @Test func `header names that differ in bit 5 of a symbol are different`() throws {
        #expect(try HTTPHeaders.Name("^") != HTTPHeaders.Name("~"))
    }

    @Test func `a set contains its characters and no other byte`() {
        let set = ASCIISet("\0 az?@~")
        let held = (UInt8.min...UInt8.max).filter(set.contains)
        #expect(held == Array("\0 ?@az~".utf8).sorted())
        #expect((UInt8.min...UInt8.max).filter(ASCIISet("é").contains).isEmpty)
    }

    @Test func `a union contains the characters of both sets`() {
        let union = ASCIISet("a1").union(ASCIISet("b1"))
        #expect((UInt8.min...UInt8.max).filter(union.contains) == Array("1ab".utf8))
        #expect((UInt8.min...UInt8.max).count(where: ASCIISet.unreserved.contains) == 66)
        #expect((UInt8.min...UInt8.max).count(where: ASCIISet.token.contains) == 77)
        #expect((UInt8.min...UInt8.max).count(where: ASCIISet.alphanumerics.contains) == 62)
    }

    @Test func `only text that is not empty can consist of a set's characters`() {
        #expect("0123".consists(of: .digits))
        #expect(!"01 23".consists(of: .digits))
        #expect(!"".consists(of: .digits))
        #expect(!"١٢".consists(of: .digits))
    }

    @Test(arguments: [
        ("Host", "hOST", true), ("", "", true), ("Host", "Hosts", false), ("É", "é", false), ("K", "\u{212A}", false),
        ("@", "`", false), ("[", "{", false), ("s", "ſ", false),
    ])
    func `only ASCII letters are compared without case`(_ one: String, _ other: String, _ isEqual: Bool) {
        #expect(one.equalsIgnoringASCIICase(other) == isEqual)
        #expect(other.equalsIgnoringASCIICase(one) == isEqual)
    }
}
