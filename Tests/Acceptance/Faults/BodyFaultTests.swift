import ContractEngines
import Foundation
import HalyardEndpoints
import HalyardTesting
import TestSupport
import Testing

/// Invalid bodies.
struct BodyFaultTests {
    private let server: LoopbackServer
    private static let me = Endpoint(.get, "/me", returning: User.self)

    init() throws { server = try LoopbackServer() }

    @Test(
        "JSON that is too deep, not UTF-8 or contains lone surrogates fails without a crash", .faults(35),
        arguments: Engine.wire,
        [
            Data(repeating: UInt8(ascii: "["), count: 100_000),
            Data(String(repeating: #"{"a":"#, count: 100_000).utf8),
            Data([0x22, 0xFF, 0x22]), Data([0x22, 0xC0, 0x80, 0x22]), Data([0x22, 0xED, 0xA0, 0x80, 0x22]),
            Data(#""\uD800""#.utf8), Data(#""\uDC00\uD800""#.utf8), Data([0xFF, 0xFE, 0x22, 0x00]),
        ])
    func json(engine: Engine, body: Data) async throws {
        server.on(.get, "/api/me", .data(body, contentType: "application/json"))
        let api = TestAPI(server, over: engine)
        #expect(await failure { _ = try await api.request(.me).json() }?.kind == .decoding)
        #expect(await failure { _ = try await api.send(Self.me) }?.kind == .decoding)
        #expect(await failure { _ = try await api.request(.me).object([[Int]].self) }?.kind == .decoding)
    }

    @Test(
        "text is decoded by its charset or as UTF-8, drops a byte order mark and replaces invalid bytes",
        .faults(37),
        arguments: Engine.wire,
        [
            ("text/plain", Data("é".utf8), "é"), ("text/plain; charset=utf-8", Data([0xEF, 0xBB, 0xBF, 0x61]), "a"),
            ("text/plain; charset=ISO-8859-1", Data([0xE9]), "é"),
            ("text/plain; charset=utf-16", Data([0xFE, 0xFF, 0x00, 0xE9]), "é"),
            ("text/plain; charset=utf-16le", Data([0xE9, 0x00]), "é"),
            ("text/plain; charset=x-unheard-of", Data("aé".utf8), "a\u{FFFD}\u{FFFD}"),
            ("text/plain", Data([0xFF]), "\u{FFFD}"),
            ("text/plain; charset=Shift_JIS", Data([0x82, 0xA0]), "あ"),
        ])
    func charsets(engine: Engine, answer: (type: String, body: Data, text: String)) async throws {
        server.on(.get, "/api/me", .data(answer.body, contentType: answer.type))
        #expect(try await TestAPI(server, over: engine).request(.me).text() == answer.text)
    }

    @Test(
        "the error for an empty 200 where a value was expected names the status and the URL", .faults(38),
        arguments: Engine.wire)
    func empty(engine: Engine) async throws {
        server.on(.get, "/api/me", .status(200))
        let error = try #require(await failure { _ = try await TestAPI(server, over: engine).send(Self.me) })
        #expect(error.kind == .emptyResponse && error.status == 200)
        #expect(error.description.contains("\(server.baseURL)/api/me answered 200"))
    }
}
