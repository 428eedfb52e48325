import Foundation
import HalyardHTTP
import Testing

@testable import HalyardTesting

@Suite("Reading requests split into packets at any point")
struct ReaderTests {
    private static let message = Array(
        ("\r\n\r\nPOST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3\r\nabc\r\n002;x\r\nde\r\n0\r\nA: 1\r\nB: 2\r\n\r\nGET").utf8)

    /// Feeds the parts one by one, and reads what can be read after each.
    private func read(_ parts: [ArraySlice<UInt8>]) throws -> (body: String, rest: String) {
        var (reader, body) = (MessageReader(allowsBareLineFeeds: false), MessageReader.Body?.none)
        var isDone = false
        for part in parts {
            reader.append(part)
            if body == nil { body = try RequestHead(&reader)?.body }
            if !isDone { isDone = try body?.read(&reader) ?? false }
        }
        #expect(isDone)
        return (String(decoding: body?.data ?? Data(), as: UTF8.self), String(decoding: reader.bytes, as: UTF8.self))
    }

    @Test(arguments: 1..<ReaderTests.message.count)
    func twoPacketsAreLikeOne(cut: Int) throws {
        let (body, rest) = try read([Self.message[..<cut], Self.message[cut...]])
        #expect(body == "abcde")
        #expect(rest == "GET")
    }

    @Test func aPacketPerByteIsLikeOne() throws {
        let (body, rest) = try read(Self.message.indices.map { Self.message[$0...$0] })
        #expect(body == "abcde")
        #expect(rest == "GET")
    }

    @Test(arguments: [Int.max, 5])
    func aLengthIsNotTrustedWithMemory(length: Int) throws {
        var (reader, body) = (MessageReader(allowsBareLineFeeds: false), MessageReader.Body(length: length))
        reader.append("abc".utf8)
        #expect(try !body.read(&reader))
        #expect(body.data.count == 3)
        #expect(reader.bytes.isEmpty)
    }
}
