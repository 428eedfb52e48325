import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

extension Contract {
    /// Bodies that continue after an interruption.
    @Suite struct ResumingTests {
        private let body = Data.pattern(3_000_000)

        /// Sends the body from the requested position. The first time, it sends two thirds of it; the second time, an
        /// error.
        private func server(isChunked: Bool) throws -> LoopbackServer {
            let count = Lock(0)
            return try LoopbackServer().on(.get, "/") { [body] request in
                let index = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                let fields = "ETag: \"one\"\r\nContent-Length: \(body.count)\r\n\r\n"
                if index == 0 { return .raw(Data("HTTP/1.1 200 OK\r\n\(fields)".utf8) + body.prefix(2_000_000)) }
                if index == 1 { return .text("an error's page", status: 503) }
                let first = request.headers["Range"]?.wholeMatch(of: /bytes=(\d+)-/).flatMap { Int($0.1) } ?? 0
                let range = "bytes \(first)-\(body.count - 1)/\(body.count)"
                let (rest, headers) = (body.dropFirst(first), ["Content-Range": range] as HTTPHeaders)
                return isChunked
                    ? .chunked([Data(rest)], status: 206, headers: headers)
                    : .data(Data(rest), status: 206, headers: headers)
            }
        }

        @Test(arguments: Engine.wire, [false, true])
        func `the next request completes a body that broke off`(engine: Engine, isChunked: Bool) async throws {
            let (server, folder) = (try server(isChunked: isChunked), try TemporaryFolder())
            let file = folder.url.appending(path: "got")
            let client = HTTPClient(transport: engine.make())
            // A partial file is of one URL.
            let url = engine.url(server.baseURL.appending(path: "/"))
            let request = try HTTPRequest(.get, url, destination: .file(file, resuming: true))
            #expect(await failure { _ = try await client.send(request) } != nil)
            let partialFile = folder.url.appending(path: ".got.halyard-part")
            let kept = try #require(try FileManager.default.attributesOfItem(atPath: partialFile.path)[.size] as? Int)
            #expect((1...2_000_000).contains(kept))

            #expect(try await client.send(request).text == "an error's page")
            #expect(try Data(contentsOf: partialFile) == body.prefix(kept))
            let response = try await client.send(request)
            #expect(response.status == 206 && response.file == file)
            #expect(server.requests.last?.headers["Range"] == "bytes=\(kept)-")
            #expect(server.requests.last?.headers["If-Range"] == "\"one\"")
            #expect(server.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
            #expect(try Data(contentsOf: file) == body)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["got"])
        }
    }
}
