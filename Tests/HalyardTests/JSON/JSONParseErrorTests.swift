import Foundation
import Halyard
import Testing

struct JSONParseErrorTests {
    @Test(arguments: [
        ("{\n  \"a\": 1,\n  \"b\": 2 x\n}", 3, 10, #"expected "," or "}" after a member, found "x""#),
        ("[1 2]", 1, 4, #"expected "," or "]" after an element, found "2""#),
        ("[1,]", 1, 4, "an array may not end with a comma"),
        ("{\"a\":1,\r\n}", 2, 1, "an object may not end with a comma"),
        ("{a", 1, 2, #"expected a name in double quotes or "}", found "a""#),
        ("{\"a\":1,2", 1, 8, #"expected a name in double quotes, found "2""#),
        ("{\"a\" 1}", 1, 6, #"expected ":" after a name, found "1""#),
        ("[", 1, 2, "expected a value, found the end of the input"),
        ("  \n ", 2, 2, "expected a value, found the end of the input"),
        ("1 // one", 1, 3, #"expected the end of the input after the value, found "/" (JSON has no comments)"#),
        ("'a'", 1, 1, "expected a value, found a single quote (JSON has double quotes only)"),
        ("[\"\" \"\"]", 1, 5, #"expected "," or "]" after an element, found a double quote"#),
        ("nope", 1, 1, "expected null, found another word"),
        ("[012]", 1, 3, "a number may not begin with 0 before other digits"),
        ("-x", 1, 2, #"expected a digit after a minus sign, found "x""#),
        ("1.", 1, 3, "expected a digit after a decimal point, found the end of the input"),
        ("1ex", 1, 3, #"expected a digit after the exponent sign, found "x""#),
        ("[\"abc\n\"]", 1, 6, "a line break in a string must be written as an escape, such as \\n or \\u0000"),
        ("[\n\"abc", 2, 1, "a string has no closing quote"),
        (#"["ab\x"]"#, 1, 5, #"JSON has no such escape; it has \" \\ \/ \b \f \n \r \t \u"#),
        (#"["\u12"]"#, 1, 3, #"\u needs four hexadecimal digits"#),
        (#"["\uD83D!"]"#, 1, 3, #"\uD83D is half of a surrogate pair, and the other half is missing"#),
        ("[\"äöü😀\" x", 1, 9, #"expected "," or "]" after an element, found "x""#),
        ("\u{FEFF}x", 1, 1, #"expected a value, found "x""#),
        ("“a”", 1, 1, #"expected a value, found "“""#),
        ("\u{202E}1", 1, 1, "expected a value, found the character U+202E"),
        ("\u{1B}[0m", 1, 1, "expected a value, found the control character U+001B"),
        ("\0[", 1, 1, "expected a value, found a NUL byte (is this UTF-16? JSON is UTF-8)"),
    ])
    func `an error gives the position and the reason`(_ text: String, _ line: Int, _ column: Int, _ reason: String) {
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: text) }
        #expect(error?.line == line)
        #expect(error?.column == column)
        #expect(error?.reason == reason)
    }

    @Test func `an error names bytes that are not UTF-8`() {
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: [0xFF, 0xFE, 0x31, 0x00]) }
        #expect(error?.reason == "expected a value, found the byte 0xFF (is this UTF-16? JSON is UTF-8)")
        let other = #expect(throws: JSON.ParseError.self) { try JSON(parsing: [0x5B, 0xC3]) }
        #expect(other?.reason == "expected a value, found the byte 0xC3")
    }

    @Test(arguments: ["", "\u{FEFF}"])
    func `empty input has an error of its own`(_ text: String) {
        #expect(throws: JSON.ParseError.emptyInput) { try JSON(parsing: text) }
        #expect(throws: JSON.ParseError.emptyInput) { try JSON(parsing: Data(text.utf8)) }
        #expect(JSON.ParseError.emptyInput.description == "Not JSON: the input is empty")
    }

    @Test func `is readable in a log`() {
        let error = #expect(throws: JSON.ParseError.self) { try JSON(parsing: "{\"a\":1\n,\"password\":\"secret\" x}") }
        let text = #"Not JSON at line 2, column 22: expected "," or "}" after a member, found "x""#
        #expect(error.map { "\($0)" } == text)
        #expect(error?.errorDescription == text)
        #expect(error?.localizedDescription == text)
    }
}
