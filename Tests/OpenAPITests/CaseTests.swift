import Foundation
import Halyard
import HalyardOpenAPI
import HalyardTesting
import OpenAPIGenerator
import Testing

/// The documents in the folder Cases, each with the files that the generator writes for it. To write them anew:
///
///     cd Tests/OpenAPITests/Cases
///     for case in *.json; do
///         swift run halyard-openapi $case --output ${case%.json} --stubs ${case%.json} --access public
///     done
@Suite(.timeLimit(.minutes(3)))
struct CaseTests {
    private static let folder = LibraryTests.folder.appending(path: "Cases")

    /// What is left out of the documents.
    private static let remarks = [
        "bodies": ["/paths/~1many/get/responses: a response has several types. Only application/json is read"],
        "callbacks": ["/paths/~1streams/post/callbacks: callbacks are not generated"],
        "datasets": [
            "/paths/~1{dataset}~1{version}~1fields/get/responses/404/content/application~1json: an error that is no object has no type. It is an HTTPError"
        ],
        "examples": ["/paths/~1v2/get/responses: several successes have a body. Only the first is read"],
        "parameters": [
            "/paths/~1label~1{x}/get/parameters/0: the style label is not known. The argument is a String that you write in it"
        ],
        "pets": [
            "/paths/~1pets/get/responses/200/headers: the headers of this response are not generated. The response has them by name"
        ],
        "webhooks": ["/webhooks: webhooks are not generated, only the models of the document"],
    ]

    @Test(arguments: [
        "board", "bodies", "callbacks", "datasets", "examples", "links", "names", "objects", "parameters", "pets",
        "scopes", "unions", "webhooks",
    ])
    func `a document becomes the files beside it`(name: String) throws {
        let document = try OpenAPIDocument(Data(contentsOf: Self.folder.appending(path: "\(name).json")))
        let plan = try Plan(document)
        #expect(plan.remarks.map(\.description) == Self.remarks[name] ?? [])
        let style = Plan.Style(isPublic: true, command: "swift package generate-api")
        let files = try plan.files(style) + [plan.exampleFile(document, style)]
        let folder = Self.folder.appending(path: name)
        let written = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.map(\.name).sorted() == written.sorted())
        for (name, text) in files {
            #expect(try text == String(contentsOf: folder.appending(path: name), encoding: .utf8), "\(name)")
        }
    }

    @Test("every document of the folder is a case")
    func cases() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(names.count == 26, "a document and a folder for each case")
    }

    @Test("the members of an object are one text in headers and paths")
    func joined() {
        let parameters: Parameters = ["a": 1, "b": "x"]
        #expect(parameters.joined(by: ",") == "a,1,b,x")
        #expect(parameters.joined(by: "=") == "a=1,b=x")
        #expect(Parameters().joined(by: ",") == "")
    }

    @Test("the tag of an object is a text, a whole number or a Boolean")
    func tag() {
        let json: JSON = ["a": "x", "b": 1, "c": true, "d": 1.5, "e": [:]]
        #expect(["a", "b", "c", "d", "e", "f"].map(json.tag) == ["x", "1", "true", nil, nil, nil])
        #expect(JSON.null.tag("a") == nil)
    }

    @Test("a part has the media type of the document, and a MultipartPart its own")
    func contentType() {
        let part = MultipartPart.data(Data("x".utf8), name: "p", contentType: "image/gif")
        let parts: [MultipartPart] = .form([
            "a": Data("x".utf8).part(contentType: "image/png"), "b": "x".part(contentType: "text/markdown"),
            "c": part.part(contentType: "image/png"),
        ])
        #expect(parts.map(\.contentType) == ["image/png", "text/markdown", "image/gif"])
        #expect(parts.map(\.name) == ["a", "b", "p"])
    }

    @Test("a part that is written as text has the media type of the document, and none without one")
    func contentTypeOfText() async throws {
        let stub = StubTransport().on(.post, "/f", .status(204))
        let api = LibraryAPI(client: HTTPClient(transport: stub))
        let parts: [MultipartPart] = .form([
            "n": 7.part(contentType: "text/x-number"),
            "d": CalendarDate(year: 2030, month: 1, day: 31)?.part(contentType: "text/x-day"), "b": true,
        ])
        try await api.send(Route(path: "/f", method: .post, multipart: parts).returning(Void.self))
        let body = String(decoding: try #require(stub.requests.first).body, as: UTF8.self)
        #expect(body.contains("name=\"n\"\r\nContent-Type: text/x-number\r\n\r\n7\r\n"))
        #expect(body.contains("name=\"d\"\r\nContent-Type: text/x-day\r\n\r\n2030-01-31\r\n"))
        #expect(body.contains("name=\"b\"\r\n\r\ntrue\r\n"))
    }

    @Test("an optional URL that is empty is none, and one that is no URL is an error")
    func emptyURL() throws {
        struct Link: APIModel {
            var url: URL?

            init(reading object: borrowing ModelReader) throws { url = try object.readIfPresent("url") }
            func write(to object: inout ModelWriter) { object.writeIfPresent("url", url) }
        }
        for text in [#"{"url":""}"#, #"{"url":null}"#, "{}"] {
            #expect(try JSON(parsing: Data(text.utf8)).decode(Link.self).url == nil)
        }
        #expect(try (["url": "https://example.com/a"] as JSON).decode(Link.self).url?.path == "/a")
        #expect(throws: (any Error).self) { try (["url": 1] as JSON).decode(Link.self) }
    }
}
