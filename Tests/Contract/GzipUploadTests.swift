#if os(macOS) || os(Linux)
    import ContractEngines
    import Foundation
    import Halyard
    import HalyardAsync
    import HalyardHTTP
    import HalyardTesting
    import TestSupport
    import Testing

    extension Contract {
        /// Bodies of requests in gzip. They are compressed above the engine.
        @Suite struct GzipUploadTests {
            @Test(arguments: Engine.allCases)
            func `data, files, forms and streams are each sent as one gzip stream`(engine: Engine) async throws {
                let (fixture, folder) = (try Fixture(engine), try TemporaryFolder())
                fixture.peer.on(.post, "/", .status(200))
                let file = try folder.write(.pattern(300_000), to: "file")
                let pieces = Array(repeating: Data.pattern(10_000), count: 30)
                let form: [MultipartPart] = [.file(file, name: "a"), .text("b", name: "c")]
                let bodies: [RouteBody] = [
                    .data(.pattern(300_000)), .file(file), .stream(pieces.async), .multipart(form),
                ]
                let api = TestAPI(baseURL: try fixture.url, client: HTTPClient(transport: fixture.transport))
                for body in bodies {
                    try await api.request(Route(path: "", method: .post, body: body).compressed()).void()
                }
                let requests = fixture.peer.requests
                #expect(requests.map { $0.headers["Content-Encoding"] } == Array(repeating: "gzip", count: 4))
                let plain = try requests.map { try $0.body.gunzipped() }
                try #require(plain.count == 4)
                #expect(plain[0].isSame(as: .pattern(300_000)) && plain[1].isSame(as: .pattern(300_000)))
                #expect(plain[2].isSame(as: pieces.reduce(Data(), +)))
                #expect(plain[3].count > 300_000 && plain[3].range(of: Data("name=\"c\"".utf8)) != nil)
                #expect(requests.allSatisfy { $0.body.count < 200_000 })
            }
        }
    }
#endif
