import Halyard
import Testing

struct JSONObjectTests {
    @Test func `an object keeps the order and duplicates of its members`() throws {
        let text = #"{"z":1,"a":2,"z":3,"m":{"b":1,"a":2}}"#
        let json = try JSON(parsing: text)
        #expect(json.description == text)
        #expect(json["z"] == 1)
        let object = try #require(json.object)
        #expect(object.map(\.key) == ["z", "a", "z", "m"])
        #expect(object.count == 4)
        #expect(object[0].value == 1)
    }

    /// Both sides of the size from which an object has an index.
    @Test(arguments: [1, 15, 16, 17, 18, 100])
    func `each member is found in small and large objects`(_ count: Int) {
        let object = JSON.Object((0..<count).map { ("key \($0)", JSON.number(.init($0))) })
        for position in 0..<count { #expect(object["key \(position)"]?.int == position) }
        #expect(object["key \(count)"] == nil)
        let twice = JSON.Object(Array(object) + Array(object) + [("key 0", "last")])
        #expect(twice["key 0"] == 0)
        #expect(twice.count == 2 * count + 1)
    }

    @Test(.timeLimit(.minutes(3)))
    func `finds members of a large object in constant time`() throws {
        let count = 100_000
        let text = "{" + (0..<count).map { "\"key \($0)\":\($0)" }.joined(separator: ",") + "}"
        let json = try JSON(parsing: text)
        #expect((0..<count).allSatisfy { json["key \($0)"].int == $0 })
    }

    @Test(arguments: [
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#), (#"{"a":1,"a":2}"#, #"{"a":1}"#), ("{}", "{}"),
        (#"{"a":[1,["x"]],"b":"c"}"#, #"{"b":"c","a":[1,["x"]]}"#),
        (#"{"x":{"a":1,"b":[]}}"#, #"{"x":{"b":[],"a":1.0}}"#),
    ])
    func `is equal to an object with another order`(_ one: String, _ other: String) throws {
        let left = try JSON(parsing: one)
        let right = try JSON(parsing: other)
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
    }

    @Test(arguments: [
        (#"{"a":1}"#, #"{"a":2}"#), (#"{"a":1}"#, #"{"a":1,"b":2}"#), (#"{"a":1,"a":2}"#, #"{"a":2}"#),
        (#"{"a":null}"#, "{}"), (#"{"a":1,"a":1}"#, #"{"a":1,"b":1}"#), ("{}", "[]"), ("[1]", "[1,2]"),
        ("[1,2]", "[2,1]"),
    ])
    func `differs from another value`(_ one: String, _ other: String) throws {
        let left = try JSON(parsing: one)
        let right = try JSON(parsing: other)
        #expect(left != right)
        #expect(right != left)
    }

    @Test func `an object is made from a dictionary, from pairs and from another object`() {
        let object: JSON.Object = ["a": 1, "b": nil]
        #expect(JSON.Object(Array(["a": 1, "b": nil] as [String: JSON])) == object)
        #expect(JSON.Object([("a", 1), ("b", nil)]) == object)
        #expect(JSON.Object(object.filter { $0.key == "a" }) == ["a": 1])
        #expect(object.description == #"{"a":1,"b":null}"#)
    }
}
