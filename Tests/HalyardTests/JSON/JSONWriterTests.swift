import HalyardFoundation
import Testing

@testable import Halyard

struct JSONWriterTests {
    @Test(
        arguments: [
            (nil, "null"), (true, "true"), (12, "12"), ("a", #""a""#), ([], "[]"), ([:], "{}"),
            ([1, [2, []], [:]], "[1,[2,[]],{}]"),
            (["b": 1, "a": [true, nil], "c": ["d": 1.5]], #"{"b":1,"a":[true,null],"c":{"d":1.5}}"#),
        ] as [(JSON, String)])
    func `writes compact text in the order of the members`(_ json: JSON, _ text: String) {
        #expect(String(decoding: json.encoded(), as: UTF8.self) == text)
        #expect(json.description == text)
        #expect("\(json)" == text)
    }

    @Test func `only the characters required by RFC 8259 are escaped`() throws {
        for value in 0...0x7F as ClosedRange<UInt8> {
            let character = String(Unicode.Scalar(value))
            let plain = value >= 0x20 && character != "\"" && character != "\\"
            let text = JSON.string(character).description
            #expect((text == "\"\(character)\"") == plain)
            #expect(try JSON(parsing: text).string == character)
        }
        #expect(JSON.string("\"\\/\u{8}\u{C}\n\r\t\0\u{1F}").description == #""\"\\/\b\f\n\r\t\u0000\u001f""#)
        #expect(JSON.string("a/é\u{2028}😀\u{7F}").description == "\"a/é\u{2028}😀\u{7F}\"")
        #expect(JSON.object(["a\"b": 1]).description == #"{"a\"b":1}"#)
    }

    @Test func `pretty-printed JSON spans several lines`() throws {
        let json: JSON = ["a": [1, ["b": nil]], "c": [], "d": [:], "e": "x"]
        let text = """
            {
              "a": [
                1,
                {
                  "b": null
                }
              ],
              "c": [],
              "d": {},
              "e": "x"
            }
            """
        #expect(json.prettyPrinted == text)
        #expect(try JSON(parsing: text) == json)
        #expect(JSON.null.prettyPrinted == "null")
        #expect(([] as JSON).prettyPrinted == "[]")
    }
}
