import Foundation
import Halyard
import Testing

/// Texts of every length, compared with Foundation's encoding.
struct PercentEncodingTests {
    private static let unreserved = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")

    @Test("text of any length is percent-encoded", arguments: [0, 1, 255, 256, 257, 512, 700])
    func lengths(length: Int) throws {
        let all = (0..<length).map { "aZ é%🚀~/"[$0 % 8] }.joined()
        let expected = try #require(all.addingPercentEncoding(withAllowedCharacters: Self.unreserved))
        var bytes = Array("before".utf8)
        bytes.append(percentEncoding: all)
        #expect(String(decoding: bytes, as: UTF8.self) == "before" + expected)
    }

    @Test func `every byte is encoded as two digits`() {
        for byte in UInt8.min ... .max {
            var bytes: [UInt8] = []
            bytes.append(percentEncoded: byte)
            #expect(String(decoding: bytes, as: UTF8.self) == String(format: "%%%02X", byte))
        }
    }
}

extension String {
    fileprivate subscript(offset: Int) -> String { String(self[index(startIndex, offsetBy: offset)]) }
}
