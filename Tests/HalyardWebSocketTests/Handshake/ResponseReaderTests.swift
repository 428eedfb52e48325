import Foundation
import HalyardHTTP
@testable import HalyardWebSocket
import Testing

@Suite struct ResponseReaderTests {
    /// Reads a response in pieces of a size. Returns whether it is complete.
    private func read(_ text: String, by size: Int = .max) throws(HTTPError) -> (ResponseReader, isComplete: Bool) {
        var (reader, rest, isComplete) = (ResponseReader(headerLimit: 1 << 16), Array(text.utf8)[...], false)
        while !rest.isEmpty, !isComplete {
            isComplete = try reader.add(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return (reader, isComplete)
    }

    @Test(arguments: [1, 2, 3, 10, .max]) func `a 101 is complete after its head, and frames follow`(size: Int) throws {
        let (reader, isComplete) = try read("HTTP/1.1 101 Switching\r\nA: 1\r\nB:2 \r\n\r\n", by: size)
        #expect(isComplete && reader.status == 101)
        #expect(reader.headers == ["A": "1", "B": "2"] && reader.rest == [])
        let (more, _) = try read("HTTP/1.1 101\r\n\r\n\u{1}xyz")
        #expect(more.rest == [1] + Array("xyz".utf8))
    }

    @Test(arguments: [1, 7, .max]) func `interim responses are skipped`(size: Int) throws {
        let (reader, isComplete) = try read(
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 101 S\r\nA: 1\r\n\r\n", by: size)
        #expect(isComplete && reader.status == 101 && reader.headers == ["A": "1"])
    }

    @Test(arguments: [1, 4, .max]) func `the body of a refusal is read by its length or its chunks`(size: Int) throws {
        let (counted, isCounted) = try read("HTTP/1.1 403 No\r\nContent-Length: 3\r\n\r\nabcde", by: size)
        #expect(isCounted && counted.body == Data("abc".utf8))
        let (chunked, isChunked) = try read(
            "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", by: size)
        #expect(isChunked && chunked.body == Data("abcde".utf8))
        let (open, isOpen) = try read("HTTP/1.0 400 No\r\n\r\nabc", by: size)
        #expect(!isOpen && open.isHeadComplete && open.body == Data("abc".utf8))
        let (empty, isEmpty) = try read("HTTP/1.1 304 No\r\n\r\n", by: size)
        #expect(isEmpty && empty.body.isEmpty)
    }

    @Test func `a body beyond the limit is truncated`() throws {
        let (reader, isComplete) = try read("HTTP/1.1 500 No\r\n\r\n" + String(repeating: "a", count: 70_000))
        #expect(isComplete && reader.body.count == ResponseReader.bodyLimit)
    }

    @Test(arguments: [
        "0\r\n" + String(repeating: "a: b\r\n", count: 20_000), String(repeating: "1;x=y\r\na\r\n", count: 9000),
    ])
    func `chunks and trailers count towards the body limit`(chunks: String) throws {
        let head = "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n"
        let (reader, isComplete) = try read(head + chunks, by: 4096)
        #expect(isComplete && reader.status == 403 && reader.body.count <= ResponseReader.bodyLimit)
    }

    @Test(arguments: [
        "HTTP/2 101 x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\r\n\r\n", "HTTP/1.1 101 x\r\nno colon\r\n\r\n",
        "HTTP/1.1 101 x\r\n : v\r\n\r\n", "HTTP/1.1 101 x\r\nA: 1\r\n folded\r\n\r\n", "HTTP/1.1 099 x\r\n\r\n",
        "HTTP/1.1 101 x\r\nA: \u{0}\r\n\r\n", "SSH-2.0-x\n\n",
    ])
    func `a head that is not HTTP is refused`(text: String) {
        #expect(throws: HTTPError(.invalidResponse)) { _ = try read(text) }
    }

    @Test func `a head that never ends is refused at the limit`() {
        #expect(throws: HTTPError(.headersTooLarge(limit: 65536))) {
            _ = try read("HTTP/1.1 101 x\r\n" + String(repeating: "A: b\r\n", count: 20_000), by: 4096)
        }
    }

    @Test(arguments: [
        "7fffffffffffffff", "7ffffffffffffffe", "ffffffffffffffff", "8000000000000000", "10000000000000000",
    ])
    func `a chunk of any declared size is read as far as it has arrived`(size: String) throws {
        let (reader, isComplete) = try read(
            "HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\nno\r\n0\r\n\r\n")
        #expect(reader.status == 403 && reader.body.count <= 9)
        _ = isComplete
    }

    @Test func `the limit applies to all heads together`() {
        let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", count: 10_000)
        #expect(throws: HTTPError(.headersTooLarge(limit: 65536))) { _ = try read(hints, by: 4096) }
        #expect(throws: HTTPError(.headersTooLarge(limit: 65536))) { _ = try read(hints) }
    }
}
