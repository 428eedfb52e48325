import Foundation
import HalyardHTTP
import Testing

/// The text, the media type and the success of a response.
struct HTTPResponseTests {
    private func response(_ type: String?, _ bytes: [UInt8] = [], status: Int = 200) -> HTTPResponse {
        var headers = HTTPHeaders()
        headers[.contentType] = type
        return HTTPResponse(status: status, headers: headers, data: Data(bytes), url: URL(filePath: "/"))
    }

    @Test(
        arguments: [
            (nil, [0xC3, 0xA9], "é"), ("text/plain", [0xC3, 0xA9], "é"),
            ("text/plain; charset=utf-8", [0xC3, 0xA9], "é"),
            ("text/plain; charset=UTF8", [0xC3, 0xA9], "é"), ("text/plain; charset=iso-8859-1", [0xC3, 0xA9], "Ã©"),
            ("text/plain; charset=Latin1", [0xE9], "é"), ("text/plain; charset=us-ascii", [0x61], "a"),
            ("text/plain; charset=windows-1252", [0x80, 0x93], "€“"),
            ("text/plain; charset=utf-16", [0x61, 0x00], "a"),
            ("text/plain; charset=utf-16be", [0x00, 0x61], "a"), ("text/plain; charset=utf-16le", [0x61, 0x00], "a"),
        ] as [(String?, [UInt8], String)])
    func `text is decoded by the charset of the media type or as UTF-8`(
        _ type: String?, _ bytes: [UInt8], _ text: String
    ) {
        #expect(response(type, bytes).text == text)
    }

    @Test(arguments: [
        "text/plain;charset=latin1", "text/plain; charset=\"latin1\"", "text/plain ; CHARSET = LATIN1",
        "text/plain;\tcharset=latin1\t", "text/plain; format=flowed; charset=latin1", "text/plain; x; charset=latin1",
        "text/plain; charset=latin1; charset=utf-8", "; charset=latin1",
    ])
    func `a charset is found however it is written`(_ type: String) {
        #expect(response(type, [0xC3, 0xA9]).text == "Ã©")
    }

    @Test(arguments: [
        "text/plain; charset=", "text/plain; charset", "text/plain;", "charset=latin1", "text/plain; charset=\" \"",
    ])
    func `a body without a charset is decoded as UTF-8`(_ type: String) {
        #expect(response(type, [0xC3, 0xA9]).text == "é")
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"), ([0xFE, 0xFF, 0x00, 0xE9], "é"), ([0xFF, 0xFE, 0xE9, 0x00], "é"),
            ([0xEF, 0xBB, 0xBF], ""), ([0xFE, 0xFF], ""), ([0xEF, 0xBB], "ï»"), ([0xEF, 0xBB, 0xBF, 0xFF], "\u{FFFD}"),
        ] as [([UInt8], String)])
    func `a byte order mark overrides the type and is not part of the text`(_ bytes: [UInt8], _ text: String) {
        #expect(response("text/plain; charset=iso-8859-1", bytes).text == text)
    }

    @Test(arguments: ["utf-8", "utf-16", "utf-16le", "us-ascii", "iso-8859-1", "windows-1252", "none"])
    func `any bytes decode to text, and an empty body decodes to empty text`(_ charset: String) {
        #expect(!response("text/plain; charset=\(charset)", Array(0...255)).text.isEmpty)
        #expect(response("text/plain; charset=\(charset)").text.isEmpty)
    }

    @Test func `Windows-1252 is decoded byte by byte as Foundation does`() {
        for byte in UInt8.min...UInt8.max {
            let text = String(data: Data([byte]), encoding: .windowsCP1252) ?? String(UnicodeScalar(byte))
            #expect(response("text/plain; charset=windows-1252", [byte]).text == text)
        }
    }

    @Test func `a slice of data is read from its own first byte`() {
        var response = response(nil)
        response.data = Data([0x20, 0xEF, 0xBB, 0xBF, 0x61]).dropFirst()
        #expect(response.text == "a")
    }

    @Test(
        arguments: [
            ("application/json", "application/json"), ("Application/JSON; charset=utf-8", "application/json"),
            (" text/html ;q", "text/html"), ("text/plain\t;x", "text/plain"), (nil, nil), ("", nil),
            ("; charset=utf-8", nil),
        ] as [(String?, String?)])
    func `the media type is lowercase and without parameters`(_ type: String?, _ mediaType: String?) {
        #expect(response(type).mediaType == mediaType)
    }

    @Test(arguments: [
        ("text/plain", true), ("TEXT/html; a=b", true), ("application/json", false), ("texts/plain", false),
    ])
    func `the media type decides whether a body is text`(_ type: String, _ isText: Bool) {
        #expect(response(type).isText == isText)
        #expect(!response(nil).isText)
    }

    @Test(arguments: [
        (199, false), (200, true), (204, true), (299, true), (300, false), (304, false), (404, false), (999, false),
    ])
    func `only a 2xx is a success`(_ status: Int, _ isSuccessful: Bool) throws {
        let response = response(nil, status: status)
        #expect(response.isSuccessful == isSuccessful)
        if isSuccessful { return try response.requireSuccess() }
        let error = #expect(throws: HTTPError.status(status)) { try response.requireSuccess() }
        #expect(error?.response?.status == status)
    }

    @Test(arguments: [(200, "OK"), (404, "Not Found"), (418, nil), (511, "Network Authentication Required"), (-1, nil)])
    func `a status has the registered reason phrase`(_ status: Int, _ words: String?) {
        #expect(HTTPResponse.reasonPhrase(for: status) == words)
    }
}
