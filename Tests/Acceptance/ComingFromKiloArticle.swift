import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

// The examples of the article for users of Kilo, word for word, and more code that the tests run.

struct MathService {
    var baseURL = URL(string: "https://example.com/api")!
    let additionalHeaders = ["X-Tenant": "blue"]
    var client = HTTPClient.shared
}

extension MathService: HTTPProvider {
    func defaultEncoding(for method: HTTPMethod) -> ParameterEncoding {
        method == .post ? .form : .url
    }
}

extension Route {
    static func total(_ values: [Double]) -> Route {
        Route(path: "math/sum", params: ["values": values])
    }
}

private struct Item: Codable, Sendable, Equatable {
    var id: Int
}

private struct NoPicture: Error {}

private typealias Show = @MainActor @Sendable (String) -> Void

private enum KiloArticle {
    static func ask(_ api: MathService, show: @escaping Show) async throws -> String {
        api.invoke(.get, "test/fibonacci", arguments: ["count": 8]) {
            (result: Result<[Int], any Error>) in
            switch result {
            case .success(let value): show("\(value)")
            case .failure(let error): show(error.localizedDescription)
            }
        }
        let fibonacci: [Int] = try await api.invoke(
            .get, "test/fibonacci", arguments: ["count": 8])
        let sum: Double = try await api.invoke(
            .get, "math/sum", arguments: ["values": [1, 2, 3, 4]])
        try await api.invoke(.delete, "items/\(101)")  // the body is ignored, so that a 204 succeeds
        let greeting: String = try await api.invoke(.get, "hello")
        return "\(fibonacci) \(sum) \(greeting)"
    }

    static func send(_ api: MathService, _ date: Date, _ table: Data, _ first: URL, _ last: URL) async throws {
        let added: Item = try await api.invoke(
            .post, "items", arguments: ["text": "héllo", "date": date, "note": nil])
        try await api.invoke(
            .post, "items", arguments: ["text": "x", "files": [first, last]],
            encoding: .multipart)
        try await api.invoke(
            .put, "items", arguments: ["id": 101], content: .json(added))
        try await api.invoke(
            .put, "items", content: .data(table, contentType: "text/csv"))
        try await api.invoke(.put, "items", content: .file(first))
    }

    static func transfers(
        _ api: MathService, _ file: URL, _ place: URL, show: @escaping Show
    ) async throws -> URL {
        let route = Route(
            path: "items", method: .post,
            multipart: [.file(file, name: "files"), .text("x", name: "a")])
        try await api.request(route).uploadProgress { show("\($0.fraction ?? 0)") }
            .void()
        let saved = try await api.request(Route(path: "dump")).download(to: place)
        return saved
    }

    static func handler(_ api: MathService) async throws -> Int {
        let logo = ResponseSerializer { response in
            guard response.mediaType == "image/png" else { throw NoPicture() }
            return response.data.count
        }
        let size = try await api.request(Route(path: "logo")).value(logo)
        return size
    }

    static func errors(_ api: MathService, show: @escaping Show) -> HTTPClient {
        let request = api.invoke(.get, "items") { (result: Result<[Item], any Error>) in
            switch result {
            case .success(let items): show("\(items.count)")
            case .failure(HTTPError.cancelled): show("cancelled")
            case .failure(let error as HTTPError):
                show("\(error.status ?? 0) \(error.localizedDescription)")
            case .failure(let error): show("\(error)")
            }
        }
        request.cancel()
        let hasty = HTTPClient(
            configuration: .init(timeout: .seconds(4), retry: .upTo(attempts: 3)))
        return hasty
    }

    static func script(_ api: MathService) -> (Response<Double>, MathService) {
        let total = Endpoint(
            .get, "math/sum", .query("values", as: [Double].self),
            returning: Double.self)
        let response = api.call(total([1, 2])).perform()

        let stub = StubTransport()
            .on(.get, "/math/sum", .json(text: "3"), .text("too busy", status: 503))
        let tested = MathService(client: HTTPClient(transport: stub))
        _ = stub
        return (response, tested)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct ComingFromKiloTests {
    private let log = Log<String>()
    private let server: LoopbackServer
    private let api: MathService

    init() throws {
        server = try .accepting()
            .on(.get, "/api/test/fibonacci", .json([0, 1, 1, 2])).on(.get, "/api/math/sum", .json(text: "10"))
            .on(.get, "/api/hello", .json(text: #""Hello, World!""#)).on(.delete, "/api/items/101", .status(204))
        api = MathService(baseURL: server.baseURL.appending(path: "api"))
    }

    private var lines: [String] { server.requests.map { "\($0.method) \($0.target) \($0.text)" } }

    @Test("lists, numbers, texts and empty responses are read; arguments are in the query")
    func ask() async throws {
        #expect(try await KiloArticle.ask(api) { log.add($0) } == "[0, 1, 1, 2] 10.0 Hello, World!")
        try await eventually("the handler is called") { log.entries == ["[0, 1, 1, 2]"] }
        let sum = "GET /api/math/sum?values=1&values=2&values=3&values=4 "
        #expect(lines.contains("GET /api/test/fibonacci?count=8 ") && lines.contains(sum))
        #expect(lines.contains("DELETE /api/items/101 "))
        #expect(server.requests.allSatisfy { $0.headers["X-Tenant"] == "blue" })
        #expect(try await api.request(.total([1.5])).object(Double.self) == 10)
    }

    @Test("a form, a multipart form, JSON, bytes and a file are sent")
    func send() async throws {
        let folder = try TemporaryFolder()
        let (first, second) = (try folder.write("one", to: "1.txt"), try folder.write("two", to: "2.txt"))
        server.on(.post, "/api/items", .json(Item(id: 7)), .status(200))
        try await KiloArticle.send(api, Date(timeIntervalSince1970: 1.005), Data("a,b".utf8), first, second)
        #expect(lines[0] == "POST /api/items text=h%C3%A9llo&date=1005")
        let form = try ParsedForm(server.requests[1])
        #expect(form.texts == ["x", "one", "two"] && form.dispositions[2] == #"name="files"; filename="2.txt""#)
        #expect(lines[2...] == [#"PUT /api/items?id=101 {"id":7}"#, "PUT /api/items a,b", "PUT /api/items one"])
        #expect(server.requests.map { $0.headers[.contentType] ?? "" }.suffix(2) == ["text/csv", "text/plain"])
        await #expect(throws: HTTPError(.unreadableFile("/not/there"))) {
            try await api.invoke(.put, "items", content: .file(URL(filePath: "/not/there")))
        }
    }

    @Test("files are uploaded with progress, and a body is downloaded to a file")
    func transfers() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("one", to: "1.txt")
        server.on(.get, "/api/dump", .text("all"))
        let saved = try await KiloArticle.transfers(api, file, folder.file("dump")) { log.add($0) }
        #expect(try String(contentsOf: saved, encoding: .utf8) == "all" && log.entries.last == "1.0")
    }

    @Test("a serializer returns the value or throws the error")
    func handler() async throws {
        server.on(.get, "/api/logo", .data(Data(count: 5), contentType: "image/png"), .text("none"))
        #expect(try await KiloArticle.handler(api) == 5)
        await #expect(throws: NoPicture.self) { try await KiloArticle.handler(api) }
        server.on(.get, "/api/logo", .status(200))
        #expect(try await api.invoke(.get, "logo", returning: Data.self).isEmpty)
        #expect(try await api.invoke(.get, "logo", returning: String.self).isEmpty)
        #expect(try await api.invoke(.get, "logo", returning: Item?.self) == nil)
        await #expect(throws: HTTPError(.emptyResponse)) { try await api.invoke(.get, "logo", returning: Item.self) }
    }

    @Test("a call blocks, a stub has a text and a status, and a cancelled call has an error of that kind")
    func script() async throws {
        let (response, tested) = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [api] in continuation.resume(returning: KiloArticle.script(api)) }
        }
        #expect(response.value == 10)
        #expect(try await tested.request(.total([1, 2])).object(Double.self) == 3)
        let error = await failure { try await tested.request(.total([1, 2])).void() }
        #expect(error == HTTPError.status(503) && error?.localizedDescription == "too busy")

        server.on(.get, "/api/items", .text("").stalling())
        #expect(KiloArticle.errors(api) { log.add($0) }.configuration.timeout == .seconds(4))
        try await eventually("the handler is called") { log.entries == ["cancelled"] }
    }
}
