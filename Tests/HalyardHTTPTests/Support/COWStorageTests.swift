import HalyardFoundation
import Testing

@testable import HalyardHTTP

@Suite struct COWStorageTests {
    @Test func changingACopyDoesNotChangeTheOriginal() throws {
        let url = try #require(URL(string: "https://example.com/a"))
        let request = try HTTPRequest(.get, url, headers: ["X-A": "1"])
        var changed = request
        changed.headers["X-A"] = "2"
        changed.method = .post
        try changed.setURL(try #require(URL(string: "http://example.org:8080/")))
        #expect(request.headers["X-A"] == "1" && request.method == .get && request.origin.host == "example.com")
        #expect(changed.headers["X-A"] == "2" && changed.method == .post && changed.origin.port == 8080)

        let response = HTTPResponse(status: 200, data: Data("abc".utf8), url: url)
        var longer = response
        longer.data.append(contentsOf: "def".utf8)
        longer.status = 201
        #expect(response.data == Data("abc".utf8) && response.status == 200)
        #expect(longer.data == Data("abcdef".utf8) && longer.status == 201)
    }

    @Test func storageWithOneReferenceIsChangedInPlace() {
        var storage = COWStorage(Data(count: 100))
        storage.unique.fields[0] = 1
        let before = storage.fields.withUnsafeBytes { $0.baseAddress }
        for index in 1..<100 { storage.unique.fields[index] = 1 }
        #expect(storage.fields.withUnsafeBytes { $0.baseAddress } == before)
        #expect(storage.fields == Data(repeating: 1, count: 100))
    }
}
