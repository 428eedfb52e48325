import Halyard
import HalyardFoundation
import Testing

struct JSONParsingTests {
    @Test(
        arguments: [
            ("null", nil), (" true\n", true), ("\t-1.5e3\r\n", -1500), (#""a""#, "a"), ("[]", []), ("[ ]", []),
            ("{ }", [:]), ("[1 , [2,[ ]] ]", [1, [2, []]]),
            (#"{ "a" : { "b" : [ ] } , "c":0}"#, ["a": ["b": []], "c": 0]),
            ("\u{FEFF}[false]", [false]),
        ] as [(String, JSON)])
    func `reads every kind of value`(_ text: String, _ json: JSON) throws {
        #expect(try JSON(parsing: text) == json)
    }

    @Test func `reads even in a canceled task`() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try JSON(parsing: #"{"a":[1,2]}"#)
        }
        #expect(try await task.value == ["a": [1, 2]])
    }

    @Test func `reads any sequence of bytes`() throws {
        let text = #"{"a":[1,"é"]}"#
        let json = try JSON(parsing: text)
        #expect(try JSON(parsing: Data(text.utf8)) == json)
        #expect(try JSON(parsing: Array(text.utf8)) == json)
        #expect(try JSON(parsing: Data("xx\(text)".utf8).dropFirst(2)) == json)
        #expect(try JSON(parsing: AnySequence(text.utf8)) == json)
        #expect(try JSON(parsing: text.dropFirst(0)) == json)
    }

    @Test(arguments: [
        (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u4E2D""#, "Aé中"), (#""\ud83d\ude00""#, "😀"),
        (#""a\u0000b""#, "a\0b"), (#""\uDBFF\uDFFF\uFFFF""#, "\u{10FFFF}\u{FFFF}"),
        (#""plain \n then 日本 \t end""#, "plain \n then 日本 \t end"),
        ("\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}😀\"", "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}😀"),
        (#""""#, ""), (#""\n""#, "\n"),
    ])
    func `reads strings and their escapes`(_ text: String, _ string: String) throws {
        let read = try #require(try JSON(parsing: text).string)
        #expect(Array(read.unicodeScalars) == Array(string.unicodeScalars))
        // The same bytes in an array of exactly this length, so that reading past the end would be detected.
        #expect(try JSON(parsing: Array(text.utf8)).string == string)
    }

    @Test(
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
            [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x28], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func `rejects invalid UTF-8`(_ bytes: [UInt8]) throws {
        let quote = UInt8(ascii: "\"")
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: [quote, 0x61] + bytes + [quote]) }
        #expect(error?.column == 3)
        #expect(error?.reason.hasPrefix("invalid UTF-8") == true)
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: [quote] + bytes) }
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: bytes) }
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: [0x7B, quote] + bytes + [quote, 0x3A, 0x31, 0x7D]) }
    }

    @Test(arguments: [
        #""\ud800""#, #""\udfff""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#, #""\ud800\ud800""#,
        #""\udc00\ud800""#,
        #""\ud800\"#, #""\ud800\u"#, #""\ud800\udc0"#,
    ])
    func `rejects lone surrogates`(_ text: String) {
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
    }

    @Test(arguments: [
        "[1,]", "{\"a\":1,}", "[,]", "[1,,2]", "[1 2]", "01", "-", "-01", "+1", ".1", "1.", "1.e1", "1e", "1e+", "0x10",
        "NaN", "Infinity", "-Infinity", "nul", "nulll", "True", "'a'", "{a:1}", "{\"a\"}", "{\"a\":}", "{1:2}", "[",
        "{", "]",
        "[}", "{]", "[1}", "{\"a\":1]", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\U0041\"",
        "\"a\nb\"",
        "\"\t\"", "\"\0\"", "1 // one", "/* */ 1", "1 2", "[] []", "[1]x", "\u{A0}1", "1\u{0C}", "\u{FEFF}\u{FEFF}1",
        " ", "{\"a\" 1}",
        "{\"a\":1 \"b\":2}", "{,}", "\"\u{1F}\"", "1.2.3", "--1", "1\0",
    ])
    func `invalid JSON is rejected`(_ text: String) {
        #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
    }
}
