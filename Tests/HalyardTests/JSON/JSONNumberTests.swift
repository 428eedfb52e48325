import Halyard
import HalyardFoundation
import Testing

struct JSONNumberTests {
    @Test(arguments: [
        "9223372036854775807", "-9223372036854775808", "18446744073709551615", "0.1", "0.10", "-0", "1E+2",
        "12345678901234567890123456789012345678", "0.12345678901234567890123456789012345678", "1e400",
        "3.14159265358979323846264338327950288419716939937510582097494459",
    ])
    func `a number keeps its text`(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(json.number?.text == text)
        #expect(json.description == text)
        #expect(JSON.Number(text: text)?.text == text)
    }

    @Test func `reads the limits of the integers exactly`() throws {
        let signed = try JSON(parsing: "[9223372036854775807, -9223372036854775808, 9223372036854775808]")
        #expect(signed[0].int == Int.max && signed[0].number?.int64 == Int64.max)
        #expect(signed[1].int == Int.min && signed[1].number?.int64 == Int64.min)
        #expect(signed[2].int == nil && signed[2].number?.uint64 == 9_223_372_036_854_775_808)
        let unsigned = try JSON(parsing: "[18446744073709551615, 18446744073709551616, -1, -0]")
        #expect(unsigned[0].number?.uint64 == UInt64.max)
        #expect(unsigned[1].number?.uint64 == nil)
        #expect(unsigned[2].number?.uint64 == nil)
        #expect(unsigned[3].number?.uint64 == 0)
    }

    @Test(
        arguments: [
            ("1.0", 1), ("1e2", 100), ("1.5e1", 15), ("-120e-1", -12), ("0e999999999999", 0), ("0.000", 0),
            ("922337203685477580.7e1", Int.max), ("1.5", nil), ("1e-1", nil), ("1e19", nil), ("1e1000000000", nil),
            ("1e99999999999", nil),
        ] as [(String, Int?)])
    func `reads whole numbers however they are written`(_ text: String, _ value: Int?) {
        #expect(JSON.Number(text: text)?.int == .some(value))
    }

    @Test(
        arguments: [
            ("0.1", 0.1), ("1e308", 1e308), ("-0", -0.0), ("1e400", nil), ("-1e400", nil), ("1e-400", 0),
            ("123456789012345678901234567890", 1.2345678901234568e29),
        ] as [(String, Double?)])
    func `finds the nearest double`(_ text: String, _ value: Double?) {
        #expect(JSON.Number(text: text)?.double == .some(value))
    }

    @Test(arguments: [
        "0.1", "-0.10", "12345678901234567890123456789012345678", "-0.12345678901234567890123456789012345678",
        "1e100", "1e-100", "0", "100000000000000000000",
    ])
    func `reads decimals to the last digit`(_ text: String) throws {
        let number = try #require(JSON.Number(text: text))
        let decimal = try #require(number.decimal)
        #expect(JSON.Number(decimal) == number)
    }

    @Test(arguments: [
        "1234567890123456789012345678901234567890.5", "0.1234567890123456789012345678901234567890123", "1e200",
        "1e-200",
        "999999999999999999999999999999999999999", "340282366920938463463374607431768211456", "1e999999999",
        "1e-999999999",
    ])
    func `reads no decimal if digits would be lost`(_ text: String) {
        #expect(JSON.Number(text: text)?.decimal == .some(nil))
    }

    @Test func `JSON numbers are created from Swift's numbers`() throws {
        #expect(JSON.Number(Int64.min).text == "-9223372036854775808")
        #expect(JSON.Number(UInt64.max).text == "18446744073709551615")
        #expect(JSON.Number(0.1)?.text == "0.1")
        #expect(JSON.Number(Float(0.1))?.text == "0.1")
        #expect(JSON.Number(3.0)?.text == "3")
        #expect(JSON.Number(-0.0)?.text == "-0")
        let digits = "12345678901234567890.123456789012345678"
        #expect(JSON.Number(try #require(Decimal(string: digits)))?.text == digits)
    }

    @Test(arguments: [Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e21, -1e-7, .pi, 1e16])
    func `doubles survive a round trip`(_ value: Double) throws {
        let number = try #require(JSON.Number(value))
        #expect(try JSON(parsing: number.text).double == value)
    }

    @Test func `NaN and infinity are not JSON numbers`() {
        #expect(JSON.Number(Double.nan) == nil)
        #expect(JSON.Number(Double.infinity) == nil)
        #expect(JSON.Number(-Float.infinity) == nil)
        #expect(JSON.Number(Decimal.nan) == nil)
    }

    @Test(arguments: ["", " 1", "1 ", "01", "+1", ".5", "1.", "1e", "0x1", "NaN", "\"1\"", "\u{FEFF}1", "1,"])
    func `text that is not a number is rejected`(_ text: String) {
        #expect(JSON.Number(text: text) == nil)
    }

    @Test(arguments: [
        ("1", "1.0"), ("1", "10e-1"), ("1e2", "100"), ("-0", "0"), ("0.10", "0.1"), ("0", "0e99999999999"),
        ("1000", "1E+3"), ("-1.50", "-15e-1"),
    ])
    func `is equal to another spelling of its value`(_ one: String, _ other: String) throws {
        let left = try #require(JSON.Number(text: one))
        let right = try #require(JSON.Number(text: other))
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(arguments: [
        ("1", "-1"), ("1", "10"), ("1", "1.00000000000000000000000000000000000000001"), ("1e400", "2e400"),
    ])
    func `differs from another value`(_ one: String, _ other: String) {
        #expect(JSON.Number(text: one) != JSON.Number(text: other))
    }

    @Test func `variables can be values of a literal`() {
        let (id, count, share, isNew) = ("a", UInt8(7), 0.25, true)
        let (noText, noCount, noShare, noFlag): (String?, Int?, Double?, Bool?) = (nil, nil, nil, nil)
        let json: JSON = [
            "id": JSON(id), "count": JSON(count), "share": JSON(share), "isNew": JSON(isNew),
            "list": [JSON(count), "x"],
            "text": JSON(noText), "number": JSON(noCount), "fraction": JSON(noShare), "flag": JSON(noFlag),
            "infinite": JSON(Double.infinity), "large": JSON(UInt64.max),
        ]
        let expected = """
            {"id":"a","count":7,"share":0.25,"isNew":true,"list":[7,"x"],"text":null,"number":null,"fraction":null,\
            "flag":null,"infinite":null,"large":18446744073709551615}
            """
        #expect("\(json)" == expected)
    }
}
