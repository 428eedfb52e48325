import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

// The examples of the article on uploads, word for word.

@resultBuilder private enum All {
    static func buildBlock(_ routes: Route...) -> [Route] { routes }
}

// swift-format-ignore
@MainActor private enum UploadsArticle {
@MainActor final class Bar { var fraction = 0.0 }
@MainActor final class Spinner { var isOn = true; func stop() { isOn = false } }

static let (bar, spinner) = (Bar(), Spinner())
static var title = ""

@All static func routes(_ file: URL, _ picture: URL) -> [Route] {
Route(path: "/dump", method: .post, body: .file(file))
Route(
    path: "/profile", method: .post,
    multipart: [.text("jane", name: "user"), .file(picture, name: "image")])
}

@All static func part(_ file: URL) -> [Route] {
Route(
    path: "/parts/2", method: .put,
    body: .file(file, bytes: 8_388_608..<16_777_216))
}

@All static func compressed(_ log: URL) -> [Route] {
Route(path: "/logs", method: .post, body: .file(log)).compressed()
}

static func expecting(_ file: URL) -> Route {
let upload = Route(path: "/dump", method: .post, body: .file(file))
    .expectingContinue()
return upload
}

static func watch(_ api: TestAPI, _ file: URL) {
api.request(.picture(file))
    .uploadProgress { bar.fraction = $0.fraction ?? 0 }
    .responseJSON { response in title = response.value?["name"].string ?? "" }
    .onEnd { spinner.stop() }
}

static func together(_ api: TestAPI, _ parts: [Route], _ size: Int64) async throws {
let progress = CombinedProgress(total: size) {
    bar.fraction = $0.fraction ?? 0
}
for route in parts {
    try await api.request(route).uploadProgress(in: progress).void()
}
}
}

private enum ParallelArticle {
    typealias API = TestAPI

    @MainActor final class Uploads {
        private(set) var fraction = 0.0
        /// The files that have not arrived, and the bytes of their bodies.
        private(set) var missing: [URL: Int64] = [:]
        private var total: Int64 = 0
        private let api: API

        init(_ files: [URL], api: API) throws {
            self.api = api
            for file in files {
                missing[file] = try api.prepare(.picture(file)).body?.length ?? 0
            }
            total = missing.values.reduce(0, +)
        }

        func send() async {
            let rest = missing.values.reduce(0, +)
            let progress = CombinedProgress(total: rest) { [self] in
                fraction = Double(total - rest + $0.completed) / Double(total)
            }
            await withTaskGroup(of: URL?.self) { group in
                for file in missing.keys {
                    let upload = api.request(.picture(file))
                        .uploadProgress(in: progress)
                    group.addTask {
                        do { try await upload.void() } catch { return nil }
                        return file
                    }
                }
                for await case let file? in group { missing[file] = nil }
            }
        }
    }
}

// swift-format-ignore
private enum TransfersArticle {
static func upload(_ api: TestAPI, _ file: URL, _ print: (Any) -> Void) async throws {
let upload = api.request(.picture(file))
async let user = upload.object(User.self)
for await progress in upload.progress(.upload) { print(progress.fraction ?? 0) }
print(try await user)
}

static func inParts(
    _ api: TestAPI, _ file: URL, _ id: String, show: @escaping @Sendable (Double) -> Void
) async throws -> [String] {
let parts = try await api.upload(
    file, inPartsOf: 8 << 20, onProgress: { show($0.fraction ?? 0) }
) { part in
    .part(part.number, of: id).retry(.upTo(attempts: 5))
}
let tags = parts.map { $0.response.headers["ETag"] ?? "" }
return tags
}

static func goOn(
    _ api: TestAPI, _ file: URL, show: @escaping @Sendable (Double) -> Void, _ print: @escaping @Sendable (String) -> Void
) async throws {
try await api.upload(file, to: .videos, resuming: .tus) { event in
    switch event {
    case .progress(let progress): show(progress.fraction ?? 0)
    case .resumed(let bytes): print("The server has \(bytes) bytes.")
    case .startedOver(let reason): print("From the start: \(reason)")
    case .interrupted(let error, let delay): print("\(error.localizedDescription) \(delay)")
    }
}
}
}

extension Route {
    fileprivate static let videos = Route(path: "/videos", method: .post)
    fileprivate static func part(_ number: Int, of id: String) -> Route {
        Route(path: "/parts/\(id)/\(number)", method: .put)
    }
}

struct UploadsArticleTests {
    @Test("the article's examples work") func run() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport().on(.post, "/profile/picture", .json(["id": "1", "name": "ann"]))
        let (api, file, lines) = (TestAPI(stub), try folder.write("x", to: "file"), Log<String>())
        let routes = await UploadsArticle.routes(file, file)
        #expect(try routes.map { try api.prepare($0).url.lastPathComponent } == ["dump", "profile"])
        await UploadsArticle.watch(api, file)
        try await TransfersArticle.upload(api, file) { lines.add("\($0)") }
        #expect(lines.entries.first == "1.0")
        try await eventually("the spinner stops", onMain: { !UploadsArticle.spinner.isOn })
        let (title, fraction) = await MainActor.run { (UploadsArticle.title, UploadsArticle.bar.fraction) }
        #expect(title == "ann" && fraction == 1)
    }

    @Test func `a file is sent in parts, and a request asks before it sends`() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport().on(.put, "/parts/7/1", .status(200, headers: ["ETag": "\"a\""]))
        let (file, fractions) = (try folder.write("abc", to: "a.iso"), Log<Double>())
        let tags = try await TransfersArticle.inParts(TestAPI(stub), file, "7") { fractions.add($0) }
        #expect(tags == ["\"a\""] && fractions.entries.last == 1)
        #expect(await UploadsArticle.expecting(file).options.expectsContinue)
    }

    @Test func `an upload goes on`() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport()
            .on(.post, "/videos", .status(201, headers: ["Location": "/uploads/1"]))
            .on(.patch, "/uploads/1", .status(204, headers: ["Upload-Offset": "3"]))
        let fractions = Log<Double>()
        try await TransfersArticle.goOn(TestAPI(stub), try folder.write("abc", to: "a.mp4")) {
            fractions.add($0)
        } _: {
            Issue.record("\($0)")
        }
        #expect(fractions.entries.last == 1)
    }

    @Test @MainActor func `only the file that has failed is sent again, and the progress ends at 1`() async throws {
        let folder = try TemporaryFolder()
        let stub = StubTransport().on(.post, "/profile/picture", .status(503), .status(201))
        let files = [try folder.write("a", to: "a"), try folder.write("bc", to: "b")]
        let uploads = try ParallelArticle.Uploads(files, api: TestAPI(stub))
        await uploads.send()
        #expect(uploads.missing.count == 1)
        await uploads.send()
        #expect(uploads.missing.isEmpty && uploads.fraction == 1)
        #expect(stub.requests.count == 3)
    }

    @Test @MainActor func `canceled uploads can be sent again`() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock())
        let stub = StubTransport(clock: clock)
            .on(.post, "/profile/picture", .status(201).delayed(by: .seconds(30)))
        let files = [try folder.write("a", to: "a"), try folder.write("bc", to: "b")]
        let uploads = try ParallelArticle.Uploads(files, api: TestAPI(stub))
        let task = Task { await uploads.send() }
        try await clock.waitForSleepers(2)
        task.cancel()
        await task.value
        #expect(uploads.missing.count == 2)
    }
}
