import Foundation
import HalyardOpenAPI
import HalyardTesting
import OpenAPIGenerator
import TestSupport
import Testing

/// The generated client in the folder Library: it is what the generator writes, and it works.
@Suite(.timeLimit(.minutes(3)))
struct LibraryTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    static let book = Book(
        id: 1 << 40, title: "Dune", isbn: nil, state: .lent, coverURL: URL(string: "https://example.com/c"),
        sequel: Book(id: 2, title: "Messiah", isbn: "x"), size: Book.Size(pages: 412), marks: ["a": 1])

    @Test("the generated files are those in the repository")
    func isUpToDate() throws {
        let document = try OpenAPIDocument(Data(contentsOf: Self.folder.appending(path: "library.json")))
        let plan = try Plan(document)
        let style = Plan.Style(isPublic: false, command: "swift package generate-api")
        let files = try plan.files(style) + [plan.exampleFile(document, style)]
        #expect(
            files.map(\.name) == [
                "LibraryAPI.swift", "LibraryAPI+Books.swift", "LibraryAPI+Shelves.swift", "LibraryAPI+Loans.swift",
                "LibraryAPI+Models.swift", "LibraryAPI+Examples.swift",
            ])
        for (name, text) in files {
            let expected = try String(contentsOf: Self.folder.appending(path: "Library/\(name)"), encoding: .utf8)
            #expect(text == expected, "run swift run halyard-openapi library.json --output Library")
        }
        #expect(plan.remarks == [])
    }

    @Test("parameters go to the path, the query and the headers, and a list with commas")
    func parameters() async throws {
        let stub = StubTransport().on(.get, "/v1/books", .json([]))
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        let books = try await api.send(
            LibraryAPI.Books.list(
                q: "a b", tags: ["x", "y"], since: ISO8601Date(Date(timeIntervalSince1970: 0)), xRequestID: "7",
                state: .onShelf))
        #expect(books == [])
        let request = try #require(stub.requests.first)
        #expect(
            request.target == "/v1/books?q=a%20b&tags=x,y&since=1970-01-01T00%3A00%3A00Z&state=on-shelf")
        #expect(request.headers["X-Request-ID"] == "7")
        _ = try await api.send(LibraryAPI.Books.list())
        #expect(stub.requests.last?.target == "/v1/books")
        #expect(stub.requests.last?.headers.contains("X-Request-ID") == false)
    }

    @Test("every style of a parameter is written as the document says")
    func styles() async throws {
        let stub = StubTransport().libraryAPIExamples()
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        let from = Date(timeIntervalSince1970: 0)
        let found = try await api.send(
            LibraryAPI.Shelves.findShelves(
                codes: [1, 2], kinds: ["a", "b"], sort: ShelvesFindShelvesSort(by: "x", down: true),
                words: ["c", "d e"],
                rooms: ["f", "g"], all: ["h", "i"], range: RangeModel(from: from, to: 3), more: ["k": "l"],
                marks: ["m": "n"], xParts: [4, 5], session: "s t;é", floors: [6, 7]))
        #expect(found == "A")
        let request = try #require(stub.requests.first)
        #expect(request.path == "/v1/shelves/1%2C2")
        let query = request.target.dropFirst(request.path.utf8.count + 1).split(separator: "&")
        #expect(
            query == [
                "kinds=a%7Cb", "words=c%20d%20e", "rooms=f%2Cg", "all=h", "all=i",
                "range%5Bfrom%5D=1970-01-01T00%3A00%3A00Z", "range%5Bto%5D=3", "marks%5Bm%5D=n", "by=x", "down=true",
                "k=l",
            ])
        #expect(request.headers["X-Parts"] == "4,5")
        #expect(request.headers["Cookie"] == "session=s%20t%3B%C3%A9; floors=6,7")
        let sort = ShelvesFindShelvesSort()
        _ = try await api.send(LibraryAPI.Shelves.findShelves(codes: [1], kinds: [], sort: sort))
        #expect(stub.requests.last?.target == "/v1/shelves/1?kinds=")
        #expect(stub.requests.last?.headers.contains("Cookie") == false)
    }

    @Test("the example of every operation has the operation's type")
    func examples() async throws {
        let stub = StubTransport().libraryAPIExamples()
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        #expect(try await api.send(LibraryAPI.Books.list()).map(\.title) == ["text"])
        #expect(try await api.send(LibraryAPI.Books.add(body: Self.book)).state == .onShelf)
        try await api.send(LibraryAPI.Books.scan(file: Data(), pages: 1))
        #expect(try await api.send(LibraryAPI.Books.search(body: BooksSearchBody(words: ""))).count == 1)
        try await api.send(LibraryAPI.Books.setCover(bookID: 1, body: .data(Data(), contentType: "image/png")))
        _ = try await api.send(LibraryAPI.Loans.currentLoan(bookID: 1))
        var count = 0
        for try await _ in api.events(LibraryAPI.Loans.getChanges()) { count += 1 }
        #expect(count == 1)
        #expect(stub.requests.count == 7)
        try StubTransport().libraryAPIExamples().verify()
    }

    @Test("a model is sent and received unchanged, and required null is written")
    func bodies() async throws {
        let stub = StubTransport().on(.post, "/v1/books") { request in
            .data(request.body, contentType: "application/json", status: 201)
        }
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        #expect(try await api.send(LibraryAPI.Books.add(body: Self.book)) == Self.book)
        let sent = try JSON(parsing: try #require(stub.requests.first).body)
        #expect(sent["isbn"].isNull && sent.object?["isbn"] != nil && sent.object?["sequel"]?["size"].isNull == true)
        #expect(sent["size"] == ["pages": 412] && sent["cover_url"] == "https://example.com/c")
    }

    @Test("a body of bytes, an empty response and a stream of events have their types")
    func otherContents() async throws {
        let stub = StubTransport()
            .on(.put, "/v1/books/7/cover", .status(204)).on(.get, "/v1/books/7/loan", .status(204))
            .on(
                .get, "/v1/changes",
                .events(["{\"id\":1,\"title\":\"A\",\"isbn\":null}"]))
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        let image = RouteBody.data(Data([1, 2]), contentType: "image/png")
        try await api.send(LibraryAPI.Books.setCover(bookID: 7, body: image))
        #expect(stub.requests.first?.body == Data([1, 2]))
        #expect(try await api.send(LibraryAPI.Loans.currentLoan(bookID: 7)) == nil)
        var titles: [String] = []
        for try await book in api.events(LibraryAPI.Loans.getChanges()) { titles.append(book.title) }
        #expect(titles == ["A"])
    }

    @Test("a form sends its fields in the body, and the parameters in the query")
    func form() async throws {
        let stub = StubTransport().on(.post, "/v1/search", .json([]))
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        let words = BooksSearchBody(words: "a b", exact: true)
        #expect(try await api.send(LibraryAPI.Books.search(body: words, limit: 3)) == [])
        let request = try #require(stub.requests.first)
        #expect(request.target == "/v1/search?limit=3")
        #expect(request.text == "exact=true&words=a%20b")
    }

    @Test("a body has the content type of the document")
    func mergePatch() async throws {
        let stub = StubTransport().libraryAPIExamples()
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        try await api.send(LibraryAPI.Books.changeSearch(body: RangeModel(to: 3)))
        let request = try #require(stub.requests.first)
        #expect(request.headers.values(for: "Content-Type") == ["application/merge-patch+json"])
        #expect(request.text == #"{"to":3}"#)
    }

    @Test("a multipart form has a part for each argument, and none for nil")
    func multipart() async throws {
        let server = try LoopbackServer().on(.post, "/scans", .status(204))
        let api = LibraryAPI(baseURL: server.baseURL)
        try await api.send(
            LibraryAPI.Books.scan(
                file: Data("scan".utf8), pages: 3, state: .lent, tags: ["a", "b"], range: RangeModel(to: 3)))
        let text = try #require(server.requests.first).text
        let parts = [("file", "scan"), ("pages", "3"), ("state", "lent"), ("tags", "a"), ("tags", "b")]
        for (name, value) in parts {
            #expect(text.contains("name=\"\(name)\"") && text.contains("\r\n\r\n\(value)\r\n"))
        }
        #expect(text.contains("name=\"range\"\r\nContent-Type: application/json\r\n\r\n{\"to\":3}\r\n"))
        #expect(text.components(separatedBy: "Content-Disposition").count == 7 && !text.contains("cover"))
    }

    @Test("the body of an error is an error of its type, by status")
    func failures() async throws {
        let stub = StubTransport().on(
            .post, "/v1/books", .json(["id": 7], status: 409), .json(["message": "closed"], status: 503),
            .text("?", status: 500))
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        let add = LibraryAPI.Books.add(body: Self.book)
        await #expect(throws: Duplicate(id: 7)) { try await api.send(add) }
        let problem = await #expect(throws: Problem.self) { try await api.send(add) }
        #expect(problem?.localizedDescription == "closed")
        await #expect(throws: HTTPError.status(500)) { try await api.send(add) }
    }

    @Test("the discriminator chooses the type, and an unknown one keeps its JSON")
    func union() throws {
        func borrower(_ text: String) throws -> Borrower {
            try ObjectMapper.standard.decode(Borrower.self, from: Data(text.utf8))
        }
        let person = Person(kind: "human", name: "Ann", additionalProperties: ["age": 7])
        #expect(try borrower(#"{"kind":"human","name":"Ann","age":7}"#) == .person(person))
        #expect(
            try borrower(#"{"kind":"school","name":"A","pupils":3}"#)
                == .school(School(kind: "school", name: "A", pupils: 3)))
        #expect(try borrower(#"{"kind":"club"}"#) == .other(["kind": "club"]))
        #expect(throws: (any Error).self) { try borrower(#"{"kind":"school","name":"A"}"#) }
        let mapper = ObjectMapper.standard
        for value in [Borrower.person(person), .other(["kind": "club"])] {
            #expect(try mapper.decode(Borrower.self, from: mapper.encode(value)) == value)
        }
    }

    @Test("a union without a discriminator is the first type that fits, and dates have the format of the API")
    func untaggedUnion() throws {
        let mapper = LibraryAPI().mapper
        func book(_ published: String) throws -> Book {
            let text = #"{"id":1,"title":"A","isbn":null,"published":\#(published)}"#
            return try mapper.decode(Book.self, from: Data(text.utf8))
        }
        let dated = try book(#""1965-08-01T00:00:00Z""#)
        #expect(dated.published == .date(Date(timeIntervalSince1970: -139_449_600)))
        #expect(try JSON(parsing: mapper.encode(dated))["published"] == "1965-08-01T00:00:00Z")
        #expect(try book("1965").published == .int(1965))
        #expect(try book(#""summer""#).published == .other("summer"))
        #expect(try mapper.decode(Book.self, from: mapper.encode(book(#""summer""#))).published == .other("summer"))
    }

    @Test("an enumeration keeps an unknown value")
    func openEnum() throws {
        let books = try ObjectMapper.standard.decode(
            [Book].self, from: Data(#"[{"id":1,"title":"A","isbn":null,"state":"stolen"}]"#.utf8))
        #expect(books[0].state == State(rawValue: "stolen") && books[0].state != .lent)
        #expect(State._404.description == "404")
    }

    @Test("models are equal if all their members are, also in boxes, and equal ones have equal hashes")
    func equality() {
        var other = Self.book
        #expect(other == Self.book && other.hashValue == Self.book.hashValue && Set([other, Self.book]).count == 1)
        other.sequel?.title = "Children"
        #expect(other != Self.book && Self.book.sequel?.title == "Messiah")
        other = Self.book
        other.marks?["b"] = 2
        #expect(other != Self.book)
    }

    @Test("a member that is missing or of another type is an error with its place")
    func invalidMembers() async throws {
        let stub = StubTransport().on(
            .get, "/v1/books", .json(text: #"[{"id":1,"title":2,"isbn":null}]"#), .json(text: "[{}]"))
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        let wrong = await failure { _ = try await api.send(LibraryAPI.Books.list()) }
        #expect(wrong?.reason?.contains("[0].title") == true, "\(wrong?.reason ?? "")")
        let missing = await failure { _ = try await api.send(LibraryAPI.Books.list()) }
        #expect(missing?.reason?.contains("[0].id") == true, "\(missing?.reason ?? "")")
    }
}
