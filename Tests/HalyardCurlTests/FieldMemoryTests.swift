import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

/// Header lines that are the same as in the last response.
@Suite(.timeLimit(.minutes(1)))
struct FieldMemoryTests {
    /// Reads lines at places of one memory. Returns the fields.
    private func read(_ lines: [(text: String, place: Int)]) throws -> [HTTPHeaders.Field] {
        var memory = FieldMemory()
        return try lines.map { line in
            try Array(line.text.utf8).withUnsafeBufferPointer { try memory.field($0, at: line.place) }
        }
    }

    @Test(arguments: [0, FieldMemory.count - 1, FieldMemory.count, 1000], [9, FieldMemory.lineLimit, 5000])
    func `a line gives the same field as the first time, and another one its own`(place: Int, length: Int) throws {
        let values = ["a", "b", "b", "a"].map { String(repeating: $0, count: length - 5) }
        let shorter = String(values[0].dropLast())
        let fields = try read((values + [shorter, values[0]]).map { ("X-A: \($0)", place) })
        #expect(fields.map(\.value) == values + [shorter, values[0]])
        #expect(fields.allSatisfy { $0.name.rawValue == "X-A" })
    }

    @Test func `a place knows only its own line`() throws {
        let fields = try read([("X-A: 1", 0), ("X-B: 2", 1), ("X-A: 1", 1), ("x-a: 1", 0), ("X-A: 1", 0)])
        #expect(fields.map { "\($0.name.rawValue) \($0.value)" } == ["X-A 1", "X-B 2", "X-A 1", "x-a 1", "X-A 1"])
    }

    @Test func `a line that is not valid is never valid, and spoils nothing`() throws {
        var memory = FieldMemory()
        for text in ["X-A: 1", "X-A 1", "X-A: 1", "X-A\u{0}1", "X-A 1", "X-A: 1"] {
            let field = try? Array(text.utf8).withUnsafeBufferPointer { try memory.field($0, at: 3) }
            #expect(field?.value == (text == "X-A: 1" ? "1" : nil))
        }
    }

    @Test func `responses over one engine have their own fields`() async throws {
        let server = try LoopbackServer()
        let names = ["/a": "1", "/b": "2", "/c": "333"]
        for (path, value) in names {
            server.on(.get, path, times: .any, .status(200, headers: ["X-A": value, "X-\(value)": "x"]))
        }
        let transport = CurlTransport()
        for path in ["/a", "/a", "/b", "/a", "/c", "/c", "/b"] {
            let response = try await transport.send(to: server, path)
            let value = try #require(names[path])
            #expect(response.headers["X-A"] == value && response.headers["X-\(value)"] == "x")
        }
    }
}
