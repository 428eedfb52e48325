import Foundation
import Testing

@testable import HalyardHTTP

/// Structured fields (RFC 9651).
struct StructuredFieldTests {
    private func headers(_ values: String...) throws -> HTTPHeaders {
        var headers = HTTPHeaders()
        for value in values { try headers.append(value, for: "Field") }
        return headers
    }

    @Test(
        arguments: [
            ("42", 42), ("-999999999999999", -999_999_999_999_999), ("0010", 10), ("?1", true), ("?0", false),
            ("4.5", .decimal(4.5)), ("-0.125", .decimal(-0.125)), ("123456789012.125", .decimal(123_456_789_012.125)),
            (#""a \" \\ b""#, #"a " \ b"#), (#""""#, ""), ("*a:b/c~!", .token("*a:b/c~!")), ("A", .token("A")),
            (":AAH/:", .bytes(Data([0, 1, 255]))), ("::", .bytes(Data())), (":YQ:", .bytes(Data("a".utf8))),
            ("@1659578233", .date(1_659_578_233)), ("@-1", .date(-1)),
            (##"%"f%c3%bc %e2%82%ac""##, .displayString("fü €")), ("  7  ", 7),
        ] as [(String, StructuredValue)])
    func `every kind of value is read`(text: String, value: StructuredValue) throws {
        #expect(try headers(text).structuredItem("Field") == StructuredItem(value))
        let written = try StructuredItem(value).fieldValue()
        #expect(try headers(written).structuredItem("Field")?.value == value)
    }

    @Test(arguments: [
        ("1000000000000000", "at most 15 digits", 16), ("1234567890123.1", "at most 12 digits before the point", 13),
        ("1.", "1 to 3 digits after the point", 2), ("1.1234", "1 to 3 digits after the point", 6), ("-", "a digit", 1),
        ("- 1", "a digit", 1), (".5", "a value", 0), ("1 2", "the end of the field", 2), ("", "a value", 0),
        ("?2", "0 or 1", 1), ("@1.5", "whole seconds", 4), ("\"a", "a quote at the end of the string", 2),
        ("\"a\\n\"", "a quote or a backslash after the backslash", 3), ("\"ä\"", "printable ASCII", 1),
        (":YQ", "a colon at the end of the bytes", 3), (":Y-Q:", "base64", 1), (":Y=:", "base64", 1),
        (":=:", "base64", 1),
        ("%a", "a quote after the percent sign", 0), ("%\"%C3\"", "two hexadecimal digits in lower case", 3),
        ("%\"%ff\"", "UTF-8 in the display string", 6), ("%\"a", "a quote at the end of the display string", 3),
        ("a;B=1", "a name in lower case", 2), ("a;", "a name in lower case", 2), ("a;b=", "a value", 4),
        ("(1)", "a value", 0),
    ])
    func `another text is an error with its place`(text: String, expected: String, offset: Int) {
        var reader = StructuredFieldReader(text)
        let failure = #expect(throws: StructuredFieldReader.Failure.self) { try reader.item() }
        #expect(failure?.expected == expected && failure?.offset == offset, "\(failure.map { "\($0)" } ?? "")")
    }

    @Test("no control character is part of a field")
    func controls() {
        for byte in Array(UInt8(0)..<32) + [127] {
            let character = String(UnicodeScalar(byte))
            for text in [
                "\(character)a", "a\(character)b", "\"a\(character)b\"", "%\"\(character)\"", "a;\(character)b",
                "1\(character)",
            ] {
                var reader = StructuredFieldReader(text)
                #expect(throws: StructuredFieldReader.Failure.self) { try reader.item() }
            }
        }
    }

    @Test("a list has items and inner lists, from all lines of the header")
    func lists() throws {
        let list = try headers("a;q=0.5, (\"x\" 2;b);c", "?1").structuredList("Field")
        #expect(
            list == [
                .item(StructuredItem(.token("a"), ["q": .decimal(0.5)])),
                .innerList([StructuredItem("x"), StructuredItem(2, ["b": true])], ["c": true]),
                .item(StructuredItem(true)),
            ])
        #expect(try list.fieldValue() == "a;q=0.5, (\"x\" 2;b);c, ?1")
        #expect(list[0].value == .token("a") && list[1].value == nil && list[1].parameters["c"] == true)
        #expect(try headers().structuredList("Field") == [])
        #expect(try headers("").structuredList("Field") == [])
        #expect(try headers("a\t,\t b").structuredList("Field").count == 2)
        for text in ["a,", "a b", ",a", "(a", "(a)b", "(\"a\"\"b\")", "(a;)", "(,)", "((a))"] {
            #expect(throws: HTTPError.self) { try headers(text).structuredList("Field") }
        }
    }

    @Test("a dictionary keeps the order of its names, and the last value of each")
    func dictionaries() throws {
        var dictionary = try headers("u=1, i, a=(1 2);x", "u=?0;y, c;z=@1").structuredDictionary("Field")
        #expect(dictionary.all.map(\.name) == ["u", "i", "a", "c"])
        #expect(dictionary["u"] == .item(StructuredItem(false, ["y": true])) && dictionary["x"] == nil)
        #expect(try dictionary.fieldValue() == "u=?0;y, i, a=(1 2);x, c;z=@1")
        dictionary["i"] = nil
        dictionary["n"] = .item(StructuredItem("v"))
        #expect(try dictionary.fieldValue() == "u=?0;y, a=(1 2);x, c;z=@1, n=\"v\"")
        for text in ["a=", "A=1", "a=1,", "=1", "a=1 b=2", "1=1", "a==1"] {
            #expect(throws: HTTPError.self) { try headers(text).structuredDictionary("Field") }
        }
    }

    @Test("a header that is missing is no item, and the error of another one names it")
    func missing() throws {
        #expect(try headers().structuredItem("Field") == nil)
        let error = #expect(throws: HTTPError.self) { try headers("a, b").structuredItem("Field") }
        #expect(
            error?.description.contains(
                "its header \"Field\" is not a structured field: the end of the field was expected after 1 bytes")
                == true)
    }

    @Test(
        arguments: [
            .integer(1_000_000_000_000_000), .integer(.min), .date(.max), .decimal(1e12), .decimal(.nan),
            .decimal(.infinity),
            .string("ä"), .string("a\nb"), .token(""), .token("a b"), .token("1a"),
        ] as [StructuredValue])
    func `a value that no field can have is not written`(value: StructuredValue) {
        let error = #expect(throws: HTTPError.self) { try StructuredItem(value).fieldValue() }
        #expect(error?.kind == .encoding("structured field"))
    }

    @Test("a name that no field can have is not written")
    func names() {
        for name in ["", "A", "1a", "a b", "ä"] {
            #expect(throws: HTTPError.self) { try StructuredItem(1, [name: 1]).fieldValue() }
            #expect(throws: HTTPError.self) {
                try ([name: .item(StructuredItem(1))] as StructuredDictionary).fieldValue()
            }
        }
    }

    @Test(arguments: [
        (0.0005, "0.0"), (0.0015, "0.002"), (-1.5, "-1.5"), (2, "2.0"), (0.1 + 0.2, "0.3"),
        (999_999_999_999, "999999999999.0"),
        (-0.0001, "0.0"), (0.0025, "0.002"), (-0.0015, "-0.002"), (9.9995, "10.0"), (1.25, "1.25"),
    ])
    func `a decimal has at most three digits after its point`(number: Double, text: String) throws {
        #expect(try StructuredItem(.decimal(number)).fieldValue() == text)
    }

    @Test("a field has at most as many names as a parser must read")
    func limits() throws {
        let names = (0...1024).map { "a\($0)" }
        let most = names.dropLast().joined(separator: ",")
        #expect(try headers(most).structuredDictionary("Field").all.count == 1024)
        #expect(throws: HTTPError.self) { try headers(names.joined(separator: ",")).structuredDictionary("Field") }
        #expect(try headers("x;" + names.prefix(256).joined(separator: ";")).structuredItem("Field") != nil)
        #expect(throws: HTTPError.self) {
            try headers("x;" + names.prefix(257).joined(separator: ";")).structuredItem("Field")
        }
    }
}
