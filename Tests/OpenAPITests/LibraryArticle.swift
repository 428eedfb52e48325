import Foundation
import HalyardOpenAPI
import HalyardTesting
import Testing

// The examples of the article on generating a client, word for word.

private func use(_ token: String) async throws {
    let api = LibraryAPI(authentication: .bearer(token))
    let books = try await api.send(LibraryAPI.Books.list(q: "dune", state: .lent))
    let added = try await api.send(
        LibraryAPI.Books.add(body: Book(id: 1, title: "Dune", isbn: nil)))
    _ = (books, added)
}

struct LibraryArticleTests {
    @Test("a stub answers a generated endpoint")
    func stub() async throws {
        let stub = StubTransport()
            .on(.get, "/v1/books", .json([["id": 7, "title": "A", "isbn": nil]]))
        let tested = LibraryAPI(client: HTTPClient(transport: stub))
        let found = try await tested.send(LibraryAPI.Books.list())
        #expect(found == [Book(id: 7, title: "A", isbn: nil)])
    }

    @Test("the document's examples answer, but for a stub that is added after them")
    func examples() async throws {
        let server = StubTransport().libraryAPIExamples()
            .on(.get, "/books", .json(text: "[]"))
        let offline = LibraryAPI(client: HTTPClient(transport: server))
        let none = try await offline.send(LibraryAPI.Books.list())
        #expect(none == [])
        _ = try await offline.send(LibraryAPI.Loans.currentLoan(bookID: 7))
    }
}
