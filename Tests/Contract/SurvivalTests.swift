import ContractEngines
import Foundation
import HalyardAsync
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

extension Contract {
    /// Uploads and downloads of many requests, which go on after an interruption.
    @Suite struct SurvivalTests {
        private let content = Data.pattern(3_000_000)
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func api(_ fixture: Fixture) throws -> TestAPI {
            TestAPI(baseURL: try fixture.url, client: HTTPClient(transport: fixture.transport))
        }

        /// A policy with short delays.
        private var patient: RetryPolicy {
            var policy = RetryPolicy.upTo(attempts: 4)
            (policy.delay, policy.maximumDelay) = (.milliseconds(1), .milliseconds(2))
            return policy
        }

        @Test(arguments: Engine.wire)
        func `a resumable upload goes on from the bytes that the server has`(engine: Engine) async throws {
            let (fixture, stored, content) = (try Fixture(engine), Lock(Data()), content)
            fixture.peer.on(.post, "/files", .status(201, headers: ["Location": "/files/1"]))
                .on(.head, "/files/1", times: .any) { _ in
                    .status(200, headers: ["Upload-Offset": "\(stored.withLock { $0.count })"])
                }
                .on(.patch, "/files/1", times: .any) { request in
                    stored.withLock { stored in
                        guard request.headers["Upload-Offset"] == "\(stored.count)" else { return .status(409) }
                        let isFirst = stored.isEmpty
                        stored += isFirst ? request.body.prefix(1_000_000) : request.body
                        let answer = StubResponse.status(204, headers: ["Upload-Offset": "\(stored.count)"])
                        guard isFirst else { return answer }
                        // After a reset, swift-corelibs-foundation may poll the socket for ever.
                        return engine.isCorelibs ? .status(503) : answer.resetting()
                    }
                }
            var upload = ResumableUpload.tus
            (upload.reconnecting.delay, upload.reconnecting.maximumDelay) = (.milliseconds(1), .milliseconds(2))
            let (progress, resumed) = (Log<Int64>(), Log<Int64>())
            try await api(fixture).upload(
                folder.write(content, to: "clip"), to: Route(path: "/files", method: .post), resuming: upload
            ) { event in
                switch event {
                case .progress(let now): progress.add(now.completed)
                case .resumed(let offset): resumed.add(offset)
                default: break
                }
            }
            #expect(stored.withLock { $0.isSame(as: content) } && resumed.entries == [1_000_000])
            #expect(progress.entries == progress.entries.sorted() && progress.entries.last == Int64(content.count))
        }

        @Test(arguments: Engine.wire)
        func `parts of a file have one progress, and a part is sent again`(engine: Engine) async throws {
            let (fixture, stored, content) = (try Fixture(engine), Lock<[Int: Data]>([:]), content)
            let failures = Lock(1)
            fixture.peer.on(.put, "/parts/{number}", times: .any) { request in
                let isFailed = failures.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if isFailed { return .status(503) }
                stored.withLock { $0[Int(request.pathParameters["number"] ?? "") ?? 0] = request.body }
                return .status(200)
            }
            let progress = Log<Int64>()
            let policy = patient
            let parts = try await api(fixture).upload(
                folder.write(content, to: "clip"), inPartsOf: 1 << 20, onProgress: { progress.add($0.completed) }
            ) { part in Route(path: "/parts/\(part.number)", method: .put).retry(policy) }
            let whole = stored.withLock { stored in stored.keys.sorted().compactMap { stored[$0] }.reduce(Data(), +) }
            #expect(parts.count == 3 && whole.isSame(as: content))
            #expect(progress.entries == progress.entries.sorted() && progress.entries.last == Int64(content.count))
        }

        @Test(arguments: Engine.wire)
        func `a download over connections goes on where one breaks`(engine: Engine) async throws {
            let (fixture, ranged) = (try Fixture(engine), RangedContent(content, breaks: 300_000))
            fixture.peer.on(.get, "/dump", times: .any) { ranged.answer(to: $0) }
            let file = try await api(fixture).download(
                Route(path: "/dump").retry(patient), to: folder.file("dump"), connections: 3)
            #expect(try Data(contentsOf: file).isSame(as: content) && folder.names == ["dump"])
        }

        @Test(arguments: Engine.wire)
        func `a resumed download has the digest that the server states, or is refused`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            for stated in [content, Data()] {
                let digest = SHA256Digest.hash(stated).base64EncodedString()
                let headers: HTTPHeaders = ["ETag": "\"one\"", "Repr-Digest": "sha-256=:\(digest):"]
                let ranged = RangedContent(content, headers, breaks: 300_000)
                fixture.peer.on(.get, "/dump\(stated.count)", times: .any) { ranged.answer(to: $0) }
                let route = Route(path: "/dump\(stated.count)").retry(patient)
                let error = await failure {
                    _ = try await api(fixture).request(route).download(to: folder.file("dump"), resuming: true)
                }
                #expect((error == nil) == !stated.isEmpty)
                #expect(stated.isEmpty == (error?.kind.isDigestMismatch ?? false))
            }
            #expect(try Data(contentsOf: folder.file("dump")).isSame(as: content) && folder.names == ["dump"])
        }
    }
}

extension HTTPError.Kind {
    fileprivate var isDigestMismatch: Bool { if case .digestMismatch = self { true } else { false } }
}
