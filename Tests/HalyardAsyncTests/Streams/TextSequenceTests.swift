import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

@testable import HalyardAsync

/// JSON text sequences (RFC 7464).
@Suite(.timeLimit(.minutes(3)))
struct TextSequenceTests {
    static let watch = Route(path: "/watch")

    /// Returns the values of a text sequence as JSON, and `!` with its error for a text that is refused.
    static func values(_ text: String) async throws -> [String] {
        let server = try LoopbackServer()
            .on(.get, "/api/watch", .data(Data(text.utf8), contentType: "application/json-seq"))
        let errors = Log<String>()
        let values = TestAPI(server).request(watch).lines(of: JSON.self) { errors.add($0.reason ?? "") }
        return try await values.all.map(\.description) + errors.entries.map { "!" + $0 }
    }

    @Test("a value is delivered when its line ends, without waiting for the next separator")
    func promptness() async throws {
        let gate = Gate()
        let server = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\r\n\u{1E}{\"x\":\n1}\n")
            gate.wait()
            connection.write("\u{1E}23\n")
            gate.wait()
            connection.write("\u{1E}true\n")
            connection.drain()
        }
        var values: [String] = []
        for try await value in TestAPI(baseURL: server.baseURL).request(Self.watch).lines(of: JSON.self) {
            values.append(value.description)
            gate.open()
            if values.count == 3 { break }
        }
        #expect(values == ["{\"x\":1}", "23", "true"])
    }

    @Test(
        "a text that may be truncated or lacks its separator is refused anywhere (section 2.4)",
        arguments: [
            ("\u{1E}12\u{1E}3\n", ["3", "!text 1: the text is cut off"]),
            ("\u{1E}1\n\u{1E}true", ["1", "!text 2: the text is cut off"]),
            ("\u{1E}null\u{1E}[1]", ["[1]", "!text 1: the text is cut off"]),
            ("\u{1E}\"a\u{1E}\"b\"", ["\"b\"", "!text 1: the text is cut off"]),
            ("\u{1E}{\"a\":\u{1E}{}\n", ["{}", "!text 1: the text is cut off"]),
            ("\u{1E}1\n2\n\u{1E}3\n", ["1", "3", "!text 2: the text has no record separator before it"]),
            ("\u{1E}1 ", ["1"]), ("\u{1E}2\t", ["2"]), ("\u{1E}3\r", ["3"]), ("\u{1E}4\r\n\u{1E}5 \u{1E}", ["4", "5"]),
        ])
    func truncation(text: String, expected: [String]) async throws {
        #expect(try await Self.values(text) == expected)
    }

    @Test("the texts are the same wherever the stream is split")
    func splitting() {
        let text =
            "\n\u{1E}{\"a\":[\n\"\u{1E}\"]}\n\u{1E}\u{1E}1\n\u{1E} \"]\\\"\" \n\n\u{1E}2 3\n\u{1E}]\n"
            + "\u{1E}4\n x\u{1E}tr"
        let bytes = Data(text.utf8)
        let whole = Self.texts([bytes])
        #expect(whole.contains { $0 == "2 3" } && whole.last == "?tr")
        for place in 0...bytes.count {
            #expect(Self.texts([bytes.prefix(place), bytes.dropFirst(place)]) == whole, "split at \(place)")
        }
        #expect(Self.texts(bytes.map { Data([$0]) }) == whole)
    }

    @Test("whitespace after a value counts towards the limit, so it cannot fill memory")
    func blanks() {
        var splitter = TextSequenceSplitter()
        splitter.append(Data("\u{1E}1".utf8))
        for _ in 0..<100 {
            splitter.append(Data(repeating: UInt8(ascii: " "), count: 10_000))
            #expect(splitter.next() == nil)
        }
        #expect(splitter.pending > 900_000)
        splitter.finish()
        #expect(splitter.next().map { String(decoding: $0.bytes, as: UTF8.self) } == "1")
        #expect(splitter.pending == 0)
    }

    /// The texts of a sequence that arrives in parts, with `?` before one that is cut off.
    private static func texts(_ parts: [Data]) -> [String] {
        var (splitter, texts) = (TextSequenceSplitter(), [String]())
        func add(_ text: TextSequenceSplitter.Text) {
            texts.append((text.problem == nil ? "" : "?") + String(decoding: text.bytes, as: UTF8.self))
        }
        for part in parts {
            splitter.append(part)
            while let text = splitter.next() { add(text) }
        }
        splitter.finish()
        while let last = splitter.next() { add(last) }
        return texts
    }
}
