import Foundation
import HalyardEndpoints
import HalyardTesting
import Testing

// The examples of the articles on endpoints and on serializers, word for word.

private struct TracksAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var client = HTTPClient.shared
}

// swift-format-ignore
private enum Articles {
enum Tracks {
    static let all = Endpoint(
        .get, "/tracks", .query("page", as: Int.self), returning: [Track].self)
    static let find = Endpoint(
        .get, "/tracks/{id}", .path("id"), returning: Track.self)
    static let replace = Endpoint(
        .put, "/tracks/{id}", .path("id"), .json(Track.self))
    static let delete = Endpoint(.delete, "/tracks/{id}", .path("id"))
}
}

private typealias Tracks = Articles.Tracks

/// A library that wraps the API.
private enum Library {
    enum Tracks {
        static let all = Articles.Tracks.all
        static let find = Articles.Tracks.find
        static let changes = Endpoint(.get, "/changes", returning: Track.self)
        static let cover = Endpoint(.post, "/tracks/{id}/cover", .path("id"), .part("image", as: URL.self))
    }

    struct MusicClient: Sendable {
        let api: TracksAPI

        func track(_ id: String) async throws -> Track {
            try await api.send(Tracks.find(id))
        }

        func tracks() -> ResponseSequence<Track> {
            api.items(Tracks.all(1), by: .number())
        }

        func changes() -> ResponseEvents<Track> {
            api.events(Tracks.changes).reconnecting()
        }

        func setCover(
            _ file: URL, of id: String,
            progress: @escaping @MainActor (Double) -> Void = { _ in }
        ) async throws {
            try await api.request(Tracks.cover(id, file)).uploadProgress {
                progress($0.fraction ?? 0)
            }.void()
        }
    }
}

struct Track: Codable, Sendable, Equatable {
    var title: String
    var plays: Int
}

extension Endpoint<Void, [Track]> {
    static let popular = Self(.get, "/tracks/popular")
}

private func sending(_ api: TracksAPI) async throws {
    let first = try await api.send(Tracks.all(1))  // [Track]
    let track = try await api.send(Tracks.find("42"))  // Track
    try await api.send(Tracks.replace("42", track))  // Void
    let popular = try await api.send(.popular)  // [Track]
    _ = (first, popular)
}

private func more() {
    let search = Endpoint(
        .get, "/tracks", .query("q"), .query("year", as: Int?.self),
        .query("tags", as: [String].self),
        .header("Accept-Language", as: String?.self), returning: [Track].self)
    let login = Endpoint(
        .post, "/login", .field("name"), .field("password"), encoding: .form,
        returning: JSON.self)
    let cover = Endpoint(
        .post, "/tracks/{id}/cover", .path("id"),
        .part("image", as: URL.self, contentType: "image/png"),
        .field("caption"))
    let titles = Endpoint(
        .get, "/tracks", returning: [String].self, at: "data.titles")
    _ = (search, login, cover, titles)
}

private func edits(_ api: TracksAPI, from old: Track, to new: Track) async throws {
    let edit = Endpoint(
        .patch, "/tracks/{id}", .path("id"), .body, returning: Track.self)
    // {"plays":3}
    let edited = try await api.send(edit("42", .changes(from: old, to: new)))
    #expect(edited == new)
}

// swift-format-ignore
private func dates(_ api: TracksAPI, _ date: Date) async throws {
let since = Endpoint(
    .get, "/tracks", .query("since", as: ISO8601Date.self),
    returning: [Track].self)
let tracks = try await api.send(since(ISO8601Date(date)))
_ = tracks
}

private struct Upload {
    struct Owner {
        var name: String
        var team: String?
    }
    var album: String
    var owner: Owner
    var cover: Data?
}

private func groups(_ api: TracksAPI, _ album: Upload) async throws -> HTTPError? {
    let owner = EndpointArgument.group(
        Upload.Owner.self, .init(\.name, .field("name")),
        .init(\.team, .query("team", as: String?.self)))
    let upload = Endpoint(
        .post, "/albums/{album}",
        .group(
            Upload.self, .init(\.album, .path("album")), .init(\.owner, owner),
            .init(\.cover, .part("cover", as: Data?.self, filename: "cover.png"))))
    try await api.send(upload(album))  // album is an Upload
    return upload.declarationError
}

private func calls(_ api: TracksAPI, show: @escaping @MainActor @Sendable (Track?) -> Void) async throws {
    let call = api.call(Tracks.find("42"))
    call.enqueue { response in show(response.value) }  // on the main actor
    call.enqueue(on: .global()) { response in print(response.status ?? 0) }
    let track = try await call.value()
    let response = await call.response()  // whatever became of it
    call.cancel()
    _ = (track, response)
}

private func blocking(_ api: TracksAPI) {
    // in a script, or on a thread of your own
    let response = api.call(Tracks.find("42")).perform()
    print(response.value?.title ?? "\(String(describing: response.error))")
}

private func progress(
    _ api: TracksAPI, _ cover: Endpoint<(String, URL, String), Void>, _ picture: URL, _ place: URL,
    _ show: @escaping @MainActor @Sendable (Double) -> Void
) async throws {
    api.call(cover("42", picture, "front"))
        .uploadProgress { progress in show(progress.fraction ?? 0) }
        .enqueue { response in print(response.status ?? 0) }

    for try await line in api.request(Tracks.find("42")).lines { print(line) }
    let saved = try await api.request(Tracks.find("42")).download(to: place)

    let upload = api.request(cover("42", picture, "front"))
    async let done: Void = upload.void()
    for await progress in upload.progress(.upload) { print(progress.fraction ?? 0) }
    try await done

    print(try api.prepare(Tracks.find("42")).curlCommand())  // and sends nothing
    _ = saved
}

private func dry(_ api: TracksAPI, isDemo: Bool) async throws {
    let find = Endpoint(.get, "/tracks/{id}", .path("id"), returning: Track.self) {
        id in
        .json(Track(title: "Track \(id)", plays: 7))
    }
    let track = try await api.dry().send(find("42"))  // nothing is sent
    let chosen: any HTTPProvider = isDemo ? api.dry() : api
    let shown = try await chosen.send(find("42"))
    #expect(shown == track)
}

private func invoked(_ api: TracksAPI, _ track: Track) async throws {
    let titles: [String] = try await api.invoke(
        .get, "tracks/titles", arguments: ["page": 2])
    try await api.invoke(
        .put, "tracks/\(42)", arguments: ["dry": true], content: .json(track))
    _ = titles
}

// swift-format-ignore
private enum SerializersArticle {
struct CSV: Sendable {
    var rows: [[String]]
}

struct Ragged: Error {}

struct CSVSerializer: ValueSerializer {
    let contentType = "text/csv; charset=utf-8"

    func encode(_ table: CSV) -> Data {
        Data(
            table.rows.map { $0.joined(separator: ",") + "\r\n" }.joined().utf8)
    }

    func decode(from response: HTTPResponse) throws -> CSV {
        let rows = response.text.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",").map(String.init)
        }
        guard Set(rows.map(\.count)).count <= 1 else { throw Ragged() }
        return CSV(rows: rows)
    }
}

struct StatisticsAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var client = HTTPClient.shared
    let serializers: Serializers = [CSVSerializer()]
}

static func use(_ api: StatisticsAPI) async throws {
let exchange = Endpoint(.post, "/tables", .body(CSV.self), returning: CSV.self)
let sums = try await api.send(exchange(CSV(rows: [["1", "2"], ["3", "4"]])))

let route = Route(path: "/tables/7", method: .put, body: .value(sums))
let table = try await api.request(route).value(.value(of: CSV.self))
#expect(table.rows == sums.rows)

let lines = Endpoint(.get, "/log")
    .reading(ResponseSerializer { $0.text.split(separator: "\n").count })
let count = try await api.send(lines)
let other = try await api.request(Route(path: "/log"))
    .value(ResponseSerializer { $0.data.count })
#expect(count == 2 && other == 3)
}
}

struct EndpointsArticleTests {
    @Test("the articles' examples work")
    func run() async throws {
        let stub = StubTransport()
            .on(.get, "/tracks", .json([Track(title: "a", plays: 1)]))
            .on(.get, "/tracks/42", .json(Track(title: "b", plays: 2)))
            .on(.get, "/tracks/popular", .json([Track]())).on(.get, "/tracks/titles", .json(["a"]))
            .on(.put, "/tracks/42", .status(204)).on(.post, "/tables", .text("4,6")).on(.put, "/tables/7", .text("4,6"))
            .on(.get, "/log", .text("a\nb"))
        let api = TracksAPI(client: HTTPClient(transport: stub))
        try await sending(api)
        try await invoked(api, Track(title: "b", plays: 2))
        try await dry(api, isDemo: true)
        try await dates(api, Date(timeIntervalSince1970: 0))
        let edited = Track(title: "b", plays: 3)
        stub.on(.patch, "/tracks/42", .json(edited))
        try await edits(api, from: Track(title: "b", plays: 2), to: edited)
        #expect(stub.requests.last?.text == #"{"plays":3}"#)
        more()
        let albums = StubTransport().on(.post, "/albums/7", where: [.query("team", "b")], .status(204))
        let album = Upload(album: "7", owner: .init(name: "a", team: "b"))
        #expect(try await groups(TracksAPI(client: HTTPClient(transport: albums)), album) == nil)
        try await SerializersArticle.use(.init(client: HTTPClient(transport: stub)))
        #expect(
            stub.requests.map(\.target) == [
                "/v1/tracks?page=1", "/v1/tracks/42", "/v1/tracks/42", "/v1/tracks/popular", "/v1/tracks/titles?page=2",
                "/v1/tracks/42?dry=true", "/v1/tracks?since=1970-01-01T00%3A00%3A00Z", "/v1/tracks/42",
                "/v1/tables", "/v1/tables/7", "/v1/log", "/v1/log",
            ])
        #expect(stub.requests.last { $0.method == .put }?.text == "4,6\r\n")
        _ = (calls, blocking, progress)
    }
}
