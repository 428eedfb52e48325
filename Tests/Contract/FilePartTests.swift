#if os(macOS) || os(Linux)
    import ContractEngines
    import Foundation
    import Halyard
    import HalyardAsync
    import HalyardTesting
    import TestSupport
    import Testing

    extension Contract {
        /// Parts of files as bodies.
        @Suite struct FilePartTests {
            @Test(arguments: Engine.allCases)
            func `a range of a file can be sent as a body with its own length`(engine: Engine) async throws {
                let (fixture, folder) = (try Fixture(engine), try TemporaryFolder())
                fixture.peer.on(.put, "/", .status(200))
                let file = try folder.write(.pattern(300_000), to: "all.bin")
                let api = TestAPI(baseURL: try fixture.url, client: HTTPClient(transport: fixture.transport))
                for range: Range<Int64> in [0..<10, 99_999..<250_001, 299_999..<300_000, 5..<5, 0..<300_000] {
                    try await api.request(Route(path: "", method: .put, body: .file(file, bytes: range))).void()
                    let sent = try #require(fixture.peer.requests.last)
                    let part = Data.pattern(300_000)[Int(range.lowerBound)..<Int(range.upperBound)]
                    #expect(sent.body.isSame(as: part))
                    // A stub sees the request before an engine adds this field.
                    if engine != .stub { #expect(sent.headers["Content-Length"] == "\(range.count)") }
                }
                for range: Range<Int64> in [0..<300_001, -1..<5] {
                    let route = Route(path: "", method: .put, body: .file(file, bytes: range))
                    let error = await failure { try await api.request(route).void() }
                    #expect(error?.kind == .unreadableFile(file.path))
                    #expect(error?.reason == "it has 300000 bytes, which do not include \(range)")
                }
            }
        }
    }
#endif
