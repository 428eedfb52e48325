import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Compressed bodies: they are decompressed as they arrive, and a truncated body is an error.
@Suite(.timeLimit(.minutes(3)))
struct CompressionTests {
    private static let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 20)
    private static let gzip = decode(
        "H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qpjaigHmSmawhAMAAA==")
    private static let zlib = decode(
        "eNoLyUhVKCzNTM5WSCrKL89TSMuvUMgqzS0oVsgvSy1SKAFK5yRWVSqk5KfrKYSMKh5VPKqY2ooBR6VDHA==")
    private static let deflate = decode(
        "C8lIVSgszUzOVkgqyi/PU0jLr1DIKs0tKFbIL0stUigBSuckVlUqpOSn6ymEjCoeVTyqmNqKAQ==")

    private static func decode(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

    /// A mebibyte of zeros in 1051 bytes of gzip; several in a row are one stream.
    private static let bomb = {
        var member = Data(count: 1051)
        let start: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 8, 95, 160,
        ]
        member.replaceSubrange(0..<start.count, with: start)
        member.replaceSubrange(1041..., with: [62, 3, 28, 234, 56, 167, 0, 0, 16, 0])
        return member
    }()

    private func server(_ body: Data, _ coding: String) throws -> LoopbackServer {
        try LoopbackServer().on(.get, "/", .data(body, headers: ["Content-Encoding": coding]))
    }

    @Test(arguments: [
        (gzip, "gzip"), (gzip + gzip.prefix(0), "x-gzip"), (zlib, "deflate"), (deflate, "deflate"), (gzip, "GZIP"),
        (gzip, "identity, gzip"), (Data(text.utf8), "identity"), (Data(text.utf8), "none"), (gzip, "gzip, None"),
    ])
    func `a compressed body is decoded and keeps its headers`(body: Data, coding: String) async throws {
        let server = try server(body, coding)
        let response = try await CurlTransport().send(to: server)
        #expect(response.text == Self.text)
        #expect(response.headers["Content-Encoding"] == coding)
        #expect(response.metrics?.bytesReceived == Int64(body.count))
        #expect(server.requests[0].headers["Accept-Encoding"]?.hasPrefix("gzip, deflate") == true)
    }

    @Test func `gzip is decoded byte by byte and from several concatenated streams`() async throws {
        let body = Self.gzip + Self.gzip
        let server = try LoopbackServer().on(
            .get, "/", .chunked(body.map { Data([$0]) }, headers: ["Content-Encoding": "gzip"]))
        #expect(try await CurlTransport().send(to: server).text == Self.text + Self.text)
    }

    private static let brokenBodies: [(body: Data, coding: String)] = [
        (gzip.dropLast(), "gzip"), (gzip.prefix(20), "gzip"), (gzip.prefix(1), "gzip"), (zlib.dropLast(2), "deflate"),
        (deflate.dropLast(5), "deflate"), (Data("no gzip at all".utf8), "gzip"), (gzip + Data("more".utf8), "gzip"),
        (gzip.prefix(40) + Data(count: 40), "gzip"),
    ]

    @Test("truncated, corrupt, extended or unrequested compressed bodies fail", .faults(31), arguments: brokenBodies)
    func broken(body: Data, coding: String) async throws {
        let server = try server(body, coding)
        let error = await #expect(throws: HTTPError.self) { try await CurlTransport().send(to: server) }
        #expect(error == HTTPError(.invalidResponse) && error?.status == 200)
    }

    @Test(arguments: ["compress", "gzip, gzip", "dcb"])
    func `an unrequested coding fails with its own error that keeps the status and the headers`(
        coding: String
    )
        async throws
    {
        let server = try LoopbackServer().on(
            .get, "/", .data(Self.gzip, status: 503, headers: ["Content-Encoding": coding, "Retry-After": "7"]))
        let error = await #expect(throws: HTTPError.self) { try await CurlTransport().send(to: server) }
        #expect(error == HTTPError(.unsupportedCoding(coding)) && error?.status == 503)
        #expect(error?.response?.headers["Retry-After"] == "7")
        #expect("\(try #require(error))".contains("the coding \"\(coding)\""))
    }

    @Test(arguments: ["gzip", "gzip, chunked", "GZIP,chunked"])
    func `a body with an unsupported transfer coding fails`(coding: String) async throws {
        let chunked = Data(String(Self.gzip.count, radix: 16).utf8) + Data("\r\n".utf8) + Self.gzip
        let body = coding.hasSuffix("chunked") ? chunked + Data("\r\n0\r\n\r\n".utf8) : Self.gzip
        let head = Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n".utf8)
        let server = try ScriptedServer { connection in
            connection.readHead()
            connection.write(head + body)
        }
        let error = await #expect(throws: HTTPError.self) {
            try await CurlTransport().send(HTTPRequest(.get, server.baseURL), context: TransferContext())
        }
        #expect(error == HTTPError(.unsupportedCoding("gzip")) && error?.status == 200)
    }

    @Test(arguments: ["identity", "chunked", "Chunked", "identity, chunked"])
    func `identity transfer codings and chunks are decoded`(coding: String) async throws {
        let isChunked = coding.lowercased().hasSuffix("chunked")
        let body = isChunked ? "2\r\nok\r\n0\r\n\r\n" : "ok"
        let server = try ScriptedServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n\(body)")
        }
        let request = try HTTPRequest(.get, server.baseURL)
        #expect(try await CurlTransport().send(request, context: TransferContext()).text == "ok")
    }

    @Test func `an empty body stays empty, even with HEAD, 204 or 304`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/", .data(Data(), headers: ["Content-Encoding": "gzip"]))
            .on(.head, "/", .status(200, headers: ["Content-Encoding": "br"]))
            .on(.get, "/204", .status(204, headers: ["Content-Encoding": "br"]))
            .on(.get, "/304", .status(304, headers: ["Content-Encoding": "br"]))
        let transport = CurlTransport()
        for (method, path) in [(HTTPMethod.get, "/"), (.head, "/"), (.get, "/204"), (.get, "/304")] {
            #expect(try await transport.send(method, to: server, path).data.isEmpty)
        }
    }

    @Test func `a body is not decoded if the caller sets Accept-Encoding or Range, or decompression is off`()
        async throws
    {
        let server = try server(Self.gzip, "gzip")
        let own = try await CurlTransport().send(to: server, headers: ["accept-encoding": "gzip"])
        let range = try await CurlTransport().send(to: server, headers: ["Range": "bytes=0-72"])
        let off = try await CurlTransport(configuration: .init(decompresses: false)).send(to: server)
        for response in [own, range, off] { #expect(response.data == Self.gzip) }
        #expect(server.requests.map { $0.headers["Accept-Encoding"] } == ["gzip", nil, nil])
    }

    @Test(.faults(30)) func `a decompression bomb stops at the limit in memory, a file and a stream`() async throws {
        var bomb = Data()
        for _ in 0..<200 { bomb += Self.bomb }
        let server = try server(bomb, "gzip")
        await #expect(throws: HTTPError(.bodyTooLarge(limit: 5 << 20))) {
            try await CurlTransport().send(to: server, destination: .memory(limit: 5 << 20))
        }
        let bound = CurlTransport(configuration: .init(bodyLimit: 7 << 20))
        let stream = try #require(try await bound.send(to: server, destination: .stream).stream)
        var count = 0
        await #expect(throws: HTTPError(.bodyTooLarge(limit: 7 << 20))) {
            for try await chunk in stream { count += chunk.count }
        }
        #expect(count <= 7 << 20)
        let wary = CurlTransport(configuration: .init(decompressionRatioLimit: 100))
        let error = await #expect(throws: HTTPError.self) { try await wary.send(to: server) }
        #expect(error?.reason?.contains("100 times") == true)
        // With the default ratio limit and a larger memory limit, the whole body arrives.
        let all = try await CurlTransport().send(to: server, destination: .memory(limit: 200 << 20))
        #expect(all.data.count == 200 << 20)
    }

    @Test func `a stream that is read slowly is complete`() async throws {
        var body = Data()
        for _ in 0..<20 { body += Self.bomb + Self.gzip }
        let server = try server(body, "gzip")
        let stream = try #require(try await CurlTransport().send(to: server, destination: .stream).stream)
        var (count, text) = (0, 0)
        for try await chunk in stream {
            for _ in 0..<100 { await Task.yield() }
            count += chunk.count
            text += chunk.count { $0 != 0 }
        }
        #expect(count == 20 * ((1 << 20) + Self.text.utf8.count))
        #expect(text == 20 * Self.text.utf8.count)
        #expect(stream.metrics?.bytesReceived == Int64(body.count))
    }

    @Test func `a stream with corrupt data received during a pause fails immediately`() async throws {
        let body = Self.bomb + Data("garbage".utf8) + Data(count: 20 << 20)
        let server = try LoopbackServer().on(.get, "/", .data(body, headers: ["Content-Encoding": "gzip"]))
            .on(.get, "/first", .status(200))
        let transport = CurlTransport()
        // An existing connection is used, because the timers of a new one would make libcurl check the socket again.
        _ = try await transport.send(to: server, "/first")
        let context = TransferContext(idleTimeout: .seconds(5))
        let stream = try #require(try await transport.send(to: server, destination: .stream, context: context).stream)
        var count = 0
        await #expect(throws: HTTPError(.invalidResponse)) { for try await chunk in stream { count += chunk.count } }
        #expect(count == 1 << 20)
    }

    @Test func `raw deflate is complete even if its last byte expands beyond one buffer`() async throws {
        // 65 537 zeros. The stream has no trailer that would have to be read after the last zero.
        let body = Data([237, 193, 1, 1, 0, 0, 0, 130, 32, 255, 175, 174, 33, 64, 1]) + Data(count: 62) + [192, 13]
        let server = try LoopbackServer().on(.get, "/", .data(body, headers: ["Content-Encoding": "deflate"]))
        #expect(try await CurlTransport().send(to: server).data == Data(count: 65_537))
    }
}
