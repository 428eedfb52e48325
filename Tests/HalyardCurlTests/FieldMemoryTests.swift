import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

/// Header lines that are the same as the last ones at their places.
@Suite(.timeLimit(.minutes(1)))
struct FieldMemoryTests {
    private var memory = FieldMemory()

    /// Returns the field of a line as text, and whether its line was known. `nil` for a line that is not valid.
    private mutating func read(_ text: String, at place: Int) -> (text: String?, isKnown: Bool) {
        Array(text.utf8).withUnsafeBufferPointer { line in
            let isKnown = memory.knownField(line, at: place) != nil
            let field = try? memory.field(line, at: place)
            return (field.map { "\($0.name.rawValue): \($0.value)" }, isKnown)
        }
    }

    @Test(arguments: [0, FieldMemory.count - 1], [6, FieldMemory.lineLimit])
    mutating func `a line is known if it is the last one of its place, and gives its own field`(
        place: Int, length: Int
    ) {
        let lines = ["a", "b"].map { "X-A: " + String(repeating: $0, count: length - 5) }
        let (first, second) = (lines[0], lines[1])
        for (line, isKnown) in [(first, false), (first, true), (second, false), (second, true), (first, false)] {
            #expect(read(line, at: place) == (line, isKnown))
        }
        #expect(read(first + "a", at: place) == (first + "a", false))
    }

    @Test(arguments: [(FieldMemory.count, 6), (1000, 6), (0, FieldMemory.lineLimit + 1), (0, 5000)])
    mutating func `a later place, and a longer line, are not kept`(place: Int, length: Int) {
        let line = "X-A: " + String(repeating: "a", count: length - 5)
        for _ in 0..<2 { #expect(read(line, at: place) == (line, false)) }
    }

    @Test mutating func `a place knows only its own line`() {
        let lines = (0..<FieldMemory.count).map { place in
            "X-\(place): " + String(repeating: "\(place % 10)", count: FieldMemory.lineLimit - "X-\(place): ".count)
        }
        for isKnown in [false, true] {
            for (place, line) in lines.enumerated() { #expect(read(line, at: place) == (line, isKnown)) }
        }
        #expect(read(lines[0], at: 1) == (lines[0], false))
        #expect(read("x-0" + lines[0].dropFirst(3), at: 0) == ("x-0" + lines[0].dropFirst(3), false))
    }

    @Test mutating func `a line that is not valid is never known`() {
        for _ in 0..<2 {
            #expect(read("X-A: 1", at: 3).text == "X-A: 1")
            for line in ["X-A; 1", "X-A; 1", "X\u{0}A: 1", "X\u{0}A: 1"] { #expect(read(line, at: 3) == (nil, false)) }
        }
    }

    @Test mutating func `a cookie is not kept`() {
        for _ in 0..<2 { #expect(read("set-cookie: a=1", at: 0) == ("set-cookie: a=1", false)) }
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

    @Test(arguments: ["Accept": "*/*", "accept": "*/*", "ACCEPT": "text/html"] as HTTPHeaders)
    func `the field Accept is sent once, in its own spelling`(field: HTTPHeaders.Field) async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        _ = try await CurlTransport().send(to: server, headers: HTTPHeaders([field]))
        #expect(server.requests[0].headers.filter { $0.name.matches("Accept") } == [field])
    }
}
