import Foundation
import Testing

@testable import Halyard

/// The web platform tests of forms.
struct WPTTests {
    private struct FormCase: Decodable {
        var name: String
        var value: String
        var expected: String
    }

    private struct ParserCase: Decodable {
        var input: String
        var output: [[String]]
    }

    private struct MultipartCase: Decodable {
        var desc: String
        var name: String
        var value: String
        var filename: String?
        var expectName: String
        var expectValue: String
        var expectFilename: String?
    }

    @Test func `a form is decoded as in browsers`() throws {
        for file in try Corpora.files(in: "wpt", prefix: "urlencoded-form", atLeast: 1) {
            for form in try JSONDecoder().decode([FormCase].self, from: Data(contentsOf: file)) {
                // A browser converts every line break to CR LF before it encodes the form. An API client does not.
                let (name, value) = (form.name.normalizingLineBreaks, form.value.normalizingLineBreaks)
                let ours = String(decoding: QueryEncoder.encode(pairs: [name: value]), as: UTF8.self)
                #expect(Self.parsed(ours) == Self.parsed(form.expected), "\(form.expected)")
                #expect(Self.parsed(ours) == [[name, value]])
            }
        }
    }

    @Test func `pairs read by a form parser are written so that it reads them again`() throws {
        for file in try Corpora.files(in: "wpt", prefix: "urlencoded-parser", atLeast: 1) {
            for parser in try JSONDecoder().decode([ParserCase].self, from: Data(contentsOf: file)) {
                var params = Parameters()
                for pair in parser.output { params.append(pair[1], for: pair[0]) }
                let ours = String(decoding: try QueryEncoder.encode(params), as: UTF8.self)
                #expect(Self.parsed(ours) == parser.output.filter { !$0[0].isEmpty }, "\(parser.input)")
            }
        }
    }

    @Test func `multipart matches the standard byte for byte`() async throws {
        for file in try Corpora.files(in: "wpt", prefix: "multipart", atLeast: 1) {
            for form in try JSONDecoder().decode([MultipartCase].self, from: Data(contentsOf: file)) {
                let part: MultipartPart =
                    if let filename = form.filename {
                        .data(Data(form.value.utf8), name: form.name, filename: filename, contentType: "text/plain")
                    } else { .text(form.value, name: form.name) }
                let (body, type) = try MultipartEncoder.encode([part])
                let boundary = try #require(type.split(separator: "=").last)
                let filename = form.expectFilename.map { "; filename=\"\($0)\"\r\nContent-Type: text/plain" } ?? ""
                let expected = """
                    --\(boundary)\r
                    Content-Disposition: form-data; name="\(form.expectName)"\(filename)\r
                    \r
                    \(form.expectValue)\r
                    --\(boundary)--\r

                    """
                #expect(try await body.data() == Data(expected.utf8), "\(form.desc)")
                #expect(body.length == Int64(expected.utf8.count))
            }
        }
    }

    /// The URL standard's parser of `application/x-www-form-urlencoded`.
    private static func parsed(_ text: String) -> [[String]] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return [decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : ""]
        }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
