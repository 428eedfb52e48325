import Foundation
@testable import Halyard
import Testing

/// The conversion table: the text of each type in a query and in JSON.
struct ConversionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let value: any ParameterConvertible
        let query: String
        let json: String

        init(_ value: any ParameterConvertible, _ query: String, _ json: String? = nil) {
            (self.value, self.query, self.json) = (value, query, json ?? query)
        }

        var testDescription: String { "\(type(of: value)) \(query)" }
    }

    enum Sort: String, ParameterConvertible { case newest = "new est" }
    enum Level: Int, ParameterConvertible { case high = 3 }
    struct Point: ParameterConvertible {
        var parameterValue: ParameterValue { .text("1,2") }
    }

    static let texts = [
        Row("", "", #""""#), Row("a b", "a%20b", #""a b""#), Row("&=+#;%", "%26%3D%2B%23%3B%25", #""&=+#;%""#),
        Row("%20", "%2520", #""%20""#),
        Row("é日", "%C3%A9%E6%97%A5", #""é日""#), Row("-._~", "-._~", #""-._~""#), Row("a/b?c", "a%2Fb%3Fc", #""a/b?c""#),
        Row("\"\\\n\0", "%22%5C%0A%00", #""\"\\\n\u0000""#), Row("xyz".dropFirst(), "yz", #""yz""#),
        Row("!'()*", "%21%27%28%29%2A", #""!'()*""#),
        Row(URL(string: "https://a.com/?b=c")!, "https%3A%2F%2Fa.com%2F%3Fb%3Dc", #""https://a.com/?b=c""#),
        Row(URL(string: "b", relativeTo: URL(string: "http://a/"))!, "http%3A%2F%2Fa%2Fb", #""http://a/b""#),
        Row(
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255)),
            "01020304-0506-0708-090A-0B0C0D0E0FFF", #""01020304-0506-0708-090A-0B0C0D0E0FFF""#),
        Row(Sort.newest, "new%20est", #""new est""#), Row(Level.high, "3"), Row(Point(), "1%2C2", #""1,2""#),
        Row(ParameterValue.text("x"), "x", #""x""#), Row(true, "true"), Row(false, "false"),
    ]

    static let isoDates = [
        Row(ISO8601Date(Date(timeIntervalSince1970: 0)), "1970-01-01T00%3A00%3A00Z", #""1970-01-01T00:00:00Z""#),
        Row(
            ISO8601Date(Date(timeIntervalSince1970: 1_700_000_000.923)), "2023-11-14T22%3A13%3A20Z",
            #""2023-11-14T22:13:20Z""#),
        Row(
            ISO8601Date(Date(timeIntervalSince1970: -0.5)), "1969-12-31T23%3A59%3A59Z",
            #""1969-12-31T23:59:59Z""#),
    ]

    static let integers = [
        Row(Int.max, "9223372036854775807"), Row(Int.min, "-9223372036854775808"), Row(0, "0"), Row(Int8.min, "-128"),
        Row(Int8.max, "127"),
        Row(Int16.min, "-32768"), Row(Int16.max, "32767"), Row(Int32.min, "-2147483648"), Row(Int32.max, "2147483647"),
        Row(Int64.min, "-9223372036854775808"), Row(Int64.max, "9223372036854775807"),
        Row(UInt.max, "18446744073709551615"),
        Row(UInt8.max, "255"), Row(UInt16.max, "65535"), Row(UInt32.max, "4294967295"),
        Row(UInt64.max, "18446744073709551615"),
        Row(UInt64(Int64.max) + 1, "9223372036854775808"),
    ]

    static let reals = [
        Row(Float(0.1), "0.1"), Row(0.1, "0.1"), Row(0.1 + 0.2, "0.30000000000000004"), Row(-1.5, "-1.5"),
        Row(-0.0, "-0.0"), Row(2.0, "2.0"),
        Row(Double.greatestFiniteMagnitude, "1.7976931348623157e%2B308", "1.7976931348623157e+308"),
        Row(Double.leastNonzeroMagnitude, "5e-324"), Row(Double.leastNormalMagnitude, "2.2250738585072014e-308"),
        Row(Float.greatestFiniteMagnitude, "3.4028235e%2B38", "3.4028235e+38"), Row(1e16, "1e%2B16", "1e+16"),
        Row(Decimal(string: "12345678901234567890123456789012345678")!, "12345678901234567890123456789012345678"),
        Row(Decimal(string: "-0.12345678901234567890123456789012345678")!, "-0.12345678901234567890123456789012345678"),
        Row(Decimal(string: "1e40")!, "1" + String(repeating: "0", count: 40)), Row(Decimal(0), "0"),
        Row(Decimal(string: "1.10")!, "1.1"),
    ]

    static let dates = [
        Row(Date(timeIntervalSince1970: 0), "0"), Row(Date(timeIntervalSince1970: 1.005), "1005"),
        Row(Date(timeIntervalSince1970: -1.0006), "-1001"),
        Row(Date(timeIntervalSince1970: -1), "-1000"), Row(Date(timeIntervalSince1970: 0.0004), "0"),
        Row(Date.distantFuture, "64092211200000"),
        Row(Date.distantPast, "-62135769600000"), Row(Date(timeIntervalSince1970: 1_700_000_000.123), "1700000000123"),
    ]

    @Test(arguments: texts + integers + reals + dates + isoDates)
    func `a value is written the same in a query, a form and JSON, except for quotes`(_ row: Row) throws {
        #expect(query(["v": row.value]) == "v=\(row.query)")
        #expect(json(["v": row.value]) == "{\"v\":\(row.json)}")
        #expect(try JSON(parsing: json(["v": row.value]))["v"].description == row.json)
    }

    @Test func `written values are read back equal`() throws {
        #expect(try JSON(parsing: json(["v": Double.leastNonzeroMagnitude]))["v"].double == .leastNonzeroMagnitude)
        #expect(try JSON(parsing: json(["v": Double.greatestFiniteMagnitude]))["v"].double == .greatestFiniteMagnitude)
        #expect(try JSON(parsing: json(["v": UInt64.max]))["v"].number?.uint64 == .max)
    }

    static let unwritable: [(any ParameterConvertible & Sendable, String)] = [
        (Double.nan, "nan is not a number that can be sent"), (Double.infinity, "inf is not a number that can be sent"),
        (-Float.infinity, "-inf is not a number that can be sent"),
        (Decimal.nan, "NaN is not a number that can be sent"),
        (Date(timeIntervalSince1970: 1e300), "the date is too far away for milliseconds since 1970"),
        (Date(timeIntervalSince1970: .nan), "the date is too far away for milliseconds since 1970"),
        (ISO8601Date(Date(timeIntervalSince1970: 1e12)), "the date is outside the years 0 to 9999"),
        (ISO8601Date(Date(timeIntervalSince1970: .nan)), "the date is outside the years 0 to 9999"),
    ]

    @Test(arguments: unwritable.indices)
    func `the error for a value that cannot be written gives its name, at any depth`(_ index: Int) {
        let (value, reason) = Self.unwritable[index]
        let leaf: Parameters = ["fine": 1, "leaf": value]
        let nested: [(Parameters, String)] = [
            (leaf, "leaf"), (["a": leaf], "a.leaf"), (["a": ["b": leaf] as Parameters], "a.b.leaf"),
            (["list": [leaf, leaf]], "list.leaf"), (["list": [1.parameterValue, value.parameterValue]], "list"),
            (["list": [[value.parameterValue]]], "list"), (["d": ["x": value.parameterValue]], "d.x"),
        ]
        for (parameters, name) in nested {
            for error in failures(parameters) {
                #expect(error?.kind == .encoding(name))
                #expect(error?.reason == reason)
            }
        }
    }
}
