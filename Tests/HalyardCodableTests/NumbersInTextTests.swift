import Foundation
import HalyardCodable
import Testing

/// Numbers that an API writes as text.
struct NumbersInTextTests {
    struct Order: Codable, Sendable, Equatable {
        var id: Int64
        var price: Decimal
        var ratio: Double?
        var small: UInt8 = 0
    }

    private static let mapper = ObjectMapper(numbers: .orText)

    private func read<T: Decodable & SendableMetatype>(
        _ type: T.Type, _ json: String, _ mapper: ObjectMapper = mapper
    ) throws -> T {
        try HTTPResponse(status: 200, data: Data(json.utf8), url: URL(filePath: "/")).object(type, mapper: mapper)
    }

    @Test("text that is exactly a JSON number is decoded if the mapper allows it")
    func reads() throws {
        let json = #"{"id": "9223372036854775807", "price": "19.90", "ratio": "-1.5e3", "small": 7}"#
        let price = try #require(Decimal(string: "19.90"))
        #expect(try read(Order.self, json) == Order(id: .max, price: price, ratio: -1500, small: 7))
        #expect(try read([String: Int].self, #"{"a": "1", "b": 2}"#) == ["a": 1, "b": 2])
        #expect(try read([Int8].self, #"["-128", 127, "1e2"]"#) == [-128, 127, 100])
        let seconds = ObjectMapper(dates: .secondsSince1970, numbers: .orText)
        #expect(try read([Date].self, #"["1.5"]"#, seconds) == [Date(timeIntervalSince1970: 1.5)])
    }

    @Test(
        "text that is not a matching number fails with an error that gives the path",
        arguments: ["", " 1", "1 ", "0x10", "01", "+1", "1,5", "NaN", "ten", "256", "1.5", "-1"])
    func refuses(text: String) throws {
        let json = #"{"id": 1, "price": 1, "small": "\#(text)"}"#
        let error = #expect(throws: HTTPError.self) { try read(Order.self, json) }
        #expect(error?.kind == .decoding)
        #expect(error?.reason?.contains(#""small" is not valid for Order: "\#(text)" is not a number"#) == true)
    }

    @Test("by default numbers in text fail with an error that names the setting")
    func suggests() {
        let error = #expect(throws: HTTPError.self) { try read(Order.self, #"{"id": "7"}"#, .standard) }
        #expect(error?.reason == #""id" is a string, where Order needs Int64"#)
        #expect(error?.suggestion?.contains("ObjectMapper(numbers:)") == true)
        let other = #expect(throws: HTTPError.self) { try read(Order.self, #"{"id": "x7"}"#, .standard) }
        #expect(other?.suggestion == nil)
    }

    @Test("numbers are encoded as numbers, and a value is decoded from JSON")
    func writes() throws {
        let order = Order(id: 7, price: 2)
        #expect(String(decoding: try Self.mapper.encode(order), as: UTF8.self) == #"{"id":7,"price":2,"small":0}"#)
        let json: JSON = ["data": ["id": "7", "price": 2, "small": 0]]
        #expect(try json["data"].decode(Order.self, mapper: Self.mapper) == order)
        #expect(throws: DecodingError.self) { try json["data"].decode(Order.self) }
    }
}
