import Foundation
import HalyardHTTP
import Testing

/// The text of a body: charsets, and bytes that are invalid in them.
struct TextTests {
    private func response(_ charset: String?, _ bytes: [UInt8], type: String = "text/plain") -> HTTPResponse {
        var headers = HTTPHeaders()
        headers[.contentType] = type + (charset.map { "; charset=\($0)" } ?? "")
        return HTTPResponse(status: 200, headers: headers, data: Data(bytes), url: URL(filePath: "/"))
    }

    @Test(
        arguments: [
            ("utf-8", [0x61, 0xC3, 0xA9, 0xFF, 0xE2, 0x82, 0xAC], "aé\u{FFFD}€"), (nil, [0x61, 0xE9], "a\u{FFFD}"),
            (nil, [0xC3, 0xA9, 0xE2, 0x82], "é\u{FFFD}"), (nil, [0xED, 0xA0, 0x80, 0x61], "\u{FFFD}\u{FFFD}\u{FFFD}a"),
            ("utf-8", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9, 0xFF], "é\u{FFFD}"),
            ("utf-16le", [0x61, 0x00, 0x00, 0xD8, 0x62, 0x00, 0x63], "a\u{FFFD}b\u{FFFD}"),
            ("shift_jis", [0x82, 0xA0, 0xFF, 0x61, 0x82], "あ\u{FFFD}a\u{FFFD}"),
            ("euc-kr", [0xB0, 0xA1, 0x80, 0x61], "가\u{FFFD}a"),
        ] as [(String?, [UInt8], String)])
    func `invalid bytes become U+FFFD, and the rest is kept`(
        _ charset: String?, _ bytes: [UInt8], _ text: String
    ) {
        #expect(response(charset, bytes).text == text)
    }

    @Test(
        arguments: [
            ("shift_jis", [0x93, 0xFA, 0x96, 0x7B, 0x5C, 0x7E, 0x87, 0x40, 0xB1], "日本\\~①ｱ"),
            ("Shift-JIS", [0x82, 0xA0], "あ"), ("sjis", [0x82, 0xA0], "あ"), ("windows-31j", [0x82, 0xA0], "あ"),
            ("x-sjis", [0x82, 0xA0], "あ"), ("ms_kanji", [0x82, 0xA0], "あ"),
            ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC, 0x5C, 0xAD, 0xA1, 0x8E, 0xB1], "日本\\①ｱ"),
            ("x-euc-jp", [0xA4, 0xA2], "あ"), ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42], "あ"),
            ("gbk", [0xC4, 0xE3, 0xBA, 0xC3, 0x80], "你好€"), ("gb2312", [0xC4, 0xE3], "你"),
            ("chinese", [0xC4, 0xE3], "你"),
            ("gb18030", [0x81, 0x30, 0x81, 0x30, 0xC4, 0xE3], "\u{80}你"), ("x-gbk", [0xC4, 0xE3], "你"),
            ("big5", [0xA7, 0x41, 0xA6, 0x6E], "你好"), ("big5-hkscs", [0xA7, 0x41], "你"),
            ("cn-big5", [0xA7, 0x41], "你"),
            ("euc-kr", [0xB0, 0xA1, 0x81, 0x41], "가갂"), ("ks_c_5601-1987", [0xB0, 0xA1], "가"),
            ("korean", [0xB0, 0xA1], "가"),
            ("windows-1250", [0x8A, 0xE8, 0x81], "Šč\u{81}"), ("cp1250", [0x8A], "Š"), ("x-cp1250", [0x8A], "Š"),
            ("windows-1251", [0xCF, 0xF0, 0x98], "Пр\u{98}"), ("cp1251", [0xCF], "П"),
            ("windows-1253", [0xE1, 0x80], "α€"),
            ("windows-1254", [0xF0, 0x80], "ğ€"), ("windows-1255", [0xE0, 0x81], "א\u{81}"),
            ("windows-1256", [0xC7], "ا"),
            ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xFE], "₫"),
            ("windows-874", [0xA1, 0x85, 0x81], "ก…\u{81}"),
            ("tis-620", [0xA1, 0x80], "ก€"), ("iso-8859-11", [0xA1], "ก"),
            ("iso-8859-1", [0xE9, 0x80, 0x81], "é€\u{81}"), ("latin1", [0x93, 0xE9], "“é"), ("l1", [0x80], "€"),
            ("us-ascii", [0xE9, 0x80], "é€"), ("ascii", [0xE9], "é"), ("cp819", [0x80], "€"), ("x-cp1252", [0x80], "€"),
            ("iso-8859-2", [0xB9, 0xE8, 0x85], "šč\u{85}"), ("latin2", [0xB9], "š"), ("iso8859-2", [0xB9], "š"),
            ("iso-8859-3", [0xA1], "Ħ"), ("iso-8859-4", [0xA1], "Ą"), ("iso-8859-5", [0xBF], "П"),
            ("cyrillic", [0xBF], "П"),
            ("iso-8859-6", [0xC7], "ا"), ("arabic", [0xC7], "ا"), ("iso-8859-7", [0xE1, 0xA4], "α€"),
            ("greek", [0xE1], "α"),
            ("iso-8859-8", [0xE0], "א"), ("iso-8859-8-i", [0xE0], "א"), ("visual", [0xE0], "א"),
            ("logical", [0xE0], "א"),
            ("iso-8859-9", [0xF0, 0x80], "ğ€"), ("latin5", [0xF0], "ğ"), ("iso-8859-10", [0xA1], "Ą"),
            ("iso-8859-13", [0xA5], "„"), ("iso-8859-14", [0xA1], "Ḃ"), ("iso-8859-15", [0xA4], "€"),
            ("l9", [0xA4], "€"),
            ("iso-8859-16", [0xA4], "€"), ("koi8-r", [0xF0, 0xD2], "Пр"), ("koi8", [0xF0], "П"),
            ("koi8-u", [0xA4], "є"),
            ("koi8-ru", [0xAE], "ў"), ("ibm866", [0x8F, 0xE0], "Пр"), ("cp866", [0x8F], "П"),
            ("macintosh", [0x8E, 0xDB], "é€"),
            ("x-mac-roman", [0x8E], "é"), ("x-mac-cyrillic", [0x8F], "П"), ("x-mac-ukrainian", [0x8F], "П"),
            ("x-user-defined", [0x61, 0x80, 0xFF], "a\u{F780}\u{F7FF}"),
            ("utf-16", [0x61, 0x00, 0xE9, 0x00], "aé"), ("unicode", [0x61, 0x00], "a"), ("ucs-2", [0x61, 0x00], "a"),
            ("utf-16be", [0x00, 0x61], "a"), ("unicodefffe", [0x00, 0x61], "a"),
            ("unicode-1-1-utf-8", [0xC3, 0xA9], "é"),
            ("x-unicode20utf8", [0xC3, 0xA9], "é"), (" UTF-8 ", [0xC3, 0xA9], "é"),
        ] as [(String, [UInt8], String)])
    func `a charset is found by its Encoding standard label`(_ label: String, _ bytes: [UInt8], _ text: String) {
        #expect(response(label, bytes).text.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(arguments: ["klingon", "utf-7", "iso-2022-kr", "hz-gb-2312", "ebcdic-us", "cp037", "//TRANSLIT"])
    func `only ASCII is decoded for an unknown charset`(_ charset: String) {
        let response = response("\"\(charset)\"", [0x61, 0xC3, 0xA9, 0x62])
        #expect(response.text == "a\u{FFFD}\u{FFFD}b")
        #expect(response.unknownCharset == charset)
    }

    @Test(arguments: [nil, "utf-8", "UTF-16", "Shift_JIS", "latin1", "x-user-defined", "\"\"", " "])
    func `a known or missing charset is not reported as unknown`(_ charset: String?) {
        #expect(response(charset, [0x61]).unknownCharset == nil)
        #expect(response("klingon", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9]).unknownCharset == nil)
    }

    @Test func `long text is decoded like short text, wherever a character lies`() {
        for shift in 0..<4 {
            let bytes = [UInt8](repeating: 0x61, count: shift) + (0..<50_000).flatMap { _ in [0x82, 0xA0] as [UInt8] }
            let text = response("shift_jis", bytes).text
            #expect(text == String(repeating: "a", count: shift) + String(repeating: "あ", count: 50_000))
        }
    }
}
