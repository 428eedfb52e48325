import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardSystem
import HalyardTesting
import TestSupport
import Testing

/// Bodies in brotli and zstd. A machine without a library does not offer its coding, and refuses it.
@Suite(.timeLimit(.minutes(3)))
struct DecoderTests {
    private static let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 20)
    private static let brotli = decode(
        "G4MDiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kvkGnFc4cHieqKTjCibhPgwE=")
    private static let zstd = decode(
        "KLUv/WSEArUBANQCVGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4gAQClCitVBlkT+oU=")
    /// A frame without content (RFC 8878 section 3.1.2).
    private static let skippable = decode("UCpNGAMAAABhYmM=")
    /// A frame whose window has 16 MiB.
    private static let wide = decode("KLUv/QBwRQAAEG9rAQB5Dgs=")

    private static func decode(_ text: String) -> Data { Data(base64Encoded: text) ?? Data() }

    /// 8 MiB of zeros.
    private static let bombs = [
        "br": decode("y///P/gnAOKxQCD3/m8="),
        // The head of a frame, and blocks that repeat one byte 131 072 times.
        "zstd": Data([0x28, 0xB5, 0x2F, 0xFD, 0xA0, 0, 0, 0x80, 0])
            + Data((0..<64).flatMap { [$0 == 63 ? 3 : 2, 0, 0x10, 0] as [UInt8] }),
    ]

    private func isAvailable(_ coding: String) -> Bool {
        dlopen(coding == "br" ? "libbrotlidec.so.1" : "libzstd.so.1", RTLD_NOW) != nil
    }

    private func receive(
        _ body: Data, _ coding: String, by configuration: EngineConfiguration = EngineConfiguration()
    ) async throws -> HTTPResponse {
        let server = try LoopbackServer().on(.get, "/", .data(body, headers: ["Content-Encoding": coding]))
        let response = try await CurlTransport(configuration: configuration).send(to: server)
        let offered = server.requests[0].headers["Accept-Encoding"] ?? ""
        #expect(offered.components(separatedBy: ", ").contains(coding) == isAvailable(coding))
        return response
    }

    /// Checks that a body is refused as one that was not offered, on a machine without the library.
    private func isRefused(_ body: Data, _ coding: String) async -> Bool {
        if isAvailable(coding) { return false }
        await #expect(throws: HTTPError(.unsupportedCoding(coding))) { try await receive(body, coding) }
        return true
    }

    @Test(arguments: [("br", brotli), ("zstd", zstd), ("zstd", skippable + zstd), ("zstd", zstd + skippable)])
    func `a compressed body is decoded and keeps its headers`(coding: String, body: Data) async throws {
        if await isRefused(body, coding) { return }
        let response = try await receive(body, coding)
        #expect(response.text == Self.text)
        #expect(response.headers["Content-Encoding"] == coding)
        #expect(response.metrics?.bytesReceived == Int64(body.count))
    }

    @Test(arguments: [("br", brotli, 1), ("zstd", zstd + zstd, 2)])
    func `a body is decoded byte by byte and from several frames`(coding: String, body: Data, count: Int) async throws {
        if await isRefused(body, coding) { return }
        let server = try LoopbackServer().on(
            .get, "/", .chunked(body.map { Data([$0]) }, headers: ["Content-Encoding": coding]))
        #expect(try await CurlTransport().send(to: server).text == String(repeating: Self.text, count: count))
    }

    private static let broken: [(coding: String, body: Data, reason: String)] = [
        ("br", brotli.dropLast(), "cut short"), ("br", brotli.prefix(1), "cut short"),
        ("br", trailing(brotli, [0]), "bytes after its end"),
        ("br", trailing(brotli.prefix(30), [0, 0, 0]), "corrupt"),
        ("zstd", zstd.dropLast(), "cut short"), ("zstd", zstd.prefix(3), "cut short"),
        ("zstd", trailing(zstd.dropLast(), [0]), "corrupt"), ("zstd", trailing(zstd, [1, 2, 3, 4]), "corrupt"),
        ("zstd", Data("no zstd".utf8), "corrupt"), ("zstd", trailing(zstd, [0x28, 0xB5, 0x2F]), "cut short"),
        ("zstd", wide, "corrupt"),
    ]

    private static func trailing(_ body: Data, _ bytes: [UInt8]) -> Data { body + Data(bytes) }

    @Test(arguments: broken)
    func `a corrupt body fails`(coding: String, body: Data, reason: String) async throws {
        if await isRefused(body, coding) { return }
        let error = await #expect(throws: HTTPError.self) { try await receive(body, coding) }
        #expect(error == HTTPError(.invalidResponse) && error?.status == 200)
        #expect(error?.reason?.contains(reason) == true, "\(error?.reason ?? "")")
    }

    @Test(arguments: ["br", "zstd"])
    func `a decompression bomb stops at the ratio limit and at the body limit`(coding: String) async throws {
        let body = try #require(Self.bombs[coding])
        if await isRefused(body, coding) { return }
        let error = await #expect(throws: HTTPError.self) { try await receive(body, coding) }
        #expect(error?.reason?.contains("more than 1100 times") == true)
        var configuration = EngineConfiguration()
        configuration.decompressionRatioLimit = .max
        #expect(try await receive(body, coding, by: configuration).data == Data(count: 8 << 20))
        configuration.bodyLimit = 100_000
        await #expect(throws: HTTPError(.bodyTooLarge(limit: 100_000))) {
            try await receive(body, coding, by: configuration)
        }
    }

    @Test(arguments: ["br", "zstd"])
    func `an empty body stays empty`(coding: String) async throws {
        if await isRefused(Data(), coding) { return }
        #expect(try await receive(Data(), coding).data.isEmpty)
    }
}
