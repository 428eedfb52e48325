import Halyard
import HalyardFoundation
import Testing

struct JSONCodableTests {
    @Test(arguments: [
        "null", "true", "\"a\"", "12", "-9223372036854775808", "18446744073709551615", "0.1", "1e300", "1.5e-200",
        "12345678901234567890123456789012345678", "1.234567890123456789", "[]", "{}",
        #"{"a":[1,"1",true,null,{"b":{}}],"é":[[0.5]]}"#,
    ])
    func `JSON can be encoded and decoded by other coders`(_ text: String) throws {
        let json = try JSON(parsing: text)
        #expect(try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) == json)
        #expect(try JSON(parsing: JSONEncoder().encode(json)) == json)
    }

    @Test func `can be a property of other values`() throws {
        struct Event: Codable, Equatable {
            var name: String
            var details: JSON
            var more: JSON?
        }
        let event = Event(name: "login", details: ["ip": "::1", "tries": 3])
        let data = try JSONEncoder().encode(event)
        #expect(try JSON(parsing: data) == ["name": "login", "details": ["ip": "::1", "tries": 3]])
        #expect(try JSONDecoder().decode(Event.self, from: data) == event)
    }

    @Test func `JSON can be stored in a property list`() throws {
        let json: JSON = ["a": [1, "1", true, 1.5, ["b": -1]]]
        let data = try PropertyListEncoder().encode(json)
        #expect(try PropertyListDecoder().decode(JSON.self, from: data) == json)
    }

    @Test func `refuses to encode a number that no coder can hold`() throws {
        let json = try JSON(parsing: "[1e400]")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(json) }
    }
}
