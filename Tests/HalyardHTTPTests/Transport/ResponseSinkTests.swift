import Foundation
import HalyardHTTP
import Testing

/// How the parts of a body are collected in memory.
struct ResponseSinkTests {
    private func sink(limit: Int) throws -> ResponseSink {
        let url = try #require(URL(string: "http://example.com/"))
        return try ResponseSink(
            for: HTTPRequest(.get, url, destination: .memory(limit: limit)), status: 200, [:])
    }

    private func body(of sink: ResponseSink) -> Data {
        var response = HTTPResponse(status: 200, url: URL(filePath: "/"))
        sink.fill(&response)
        return response.data
    }

    @Test(arguments: [
        ["whole"], ["in ", "two"], ["a", "", "b"], [""], [], ["more", " than", " was announced"],
        ["first is too long", "x"],
    ])
    func `all received bytes are kept, whatever length was announced`(_ pieces: [String]) throws {
        for announced in [nil, 0, 5, 1 << 40] {
            var sink = try sink(limit: .max)
            if let announced { try sink.expect(announced) }
            for piece in pieces { #expect(try Data(piece.utf8).withUnsafeBytes { try sink.write($0) } == .accepted) }
            #expect(body(of: sink) == Data(pieces.joined().utf8))
        }
    }

    @Test(arguments: [
        ("text/plain", "é", "utf-8"), ("text/plain", "€", "utf-8"), ("application/json", "😀", "utf-8"),
        ("text/plain; charset=shift_jis", "あ", "shift_jis"), ("text/plain; charset=utf-16le", "😀", "utf-16le"),
    ])
    func `the start of a long body ends with a complete character`(
        _ type: String, _ character: String, _ charset: String
    ) throws {
        let bytes: [UInt8] =
            ["shift_jis": [0x82, 0xA0], "utf-16le": [0x3D, 0xD8, 0x00, 0xDE]][charset] ?? Array(character.utf8)
        for start in 0..<4 {
            var sink = ResponseSink.excerpt
            let body =
                Data(repeating: 0x61, count: charset == "utf-16le" ? 0 : start)
                + Data(Array(repeating: bytes, count: 40_000).joined())
            #expect(try body.withUnsafeBytes { try sink.write($0) } == .enough)
            var response = HTTPResponse(status: 404, headers: ["Content-Type": type], url: URL(filePath: "/"))
            sink.fill(&response)
            #expect(response.data.count > 65_532 && response.data.count <= 65_536)
            #expect(response.text.allSatisfy { $0 == "a" || String($0) == character })
        }
    }

    @Test(arguments: [262_143, 262_144, 1_000_000, 3_000_000])
    func `all bytes of a large body are kept, even if it is shorter or longer than announced`(_ announced: Int) throws {
        for count in [70_000, announced - 1, announced, announced + 1, announced + 100_000] {
            let sent = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })
            for size in [16_000, 300_000, count - 1] {
                var sink = try sink(limit: .max)
                try sink.expect(announced)
                for start in stride(from: 0, to: count, by: size) {
                    let piece = sent[start..<min(start + size, count)]
                    #expect(try piece.withUnsafeBytes { try sink.write($0) } == .accepted)
                }
                var kept = body(of: sink)
                #expect(kept == sent && kept.startIndex == 0)
                // A body is a value: a change of a copy does not change it, and can make it longer.
                let copy = kept
                kept.append(1)
                #expect(copy == sent && kept == sent + [1])
            }
        }
    }

    @Test func `a body above the limit is rejected, whether its length is announced or not`() throws {
        var announced = try sink(limit: 4)
        #expect(throws: HTTPError(.bodyTooLarge(limit: 4))) { try announced.expect(5) }
        try announced.expect(4)

        var sink = try sink(limit: 4)
        _ = try Data("abc".utf8).withUnsafeBytes { try sink.write($0) }
        #expect(throws: HTTPError(.bodyTooLarge(limit: 4))) {
            try Data("de".utf8).withUnsafeBytes { try sink.write($0) }
        }
    }
}
