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

    @Test func `a body above the limit is rejected, announced or not`() throws {
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
