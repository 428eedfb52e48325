import Halyard
import HalyardFoundation
import Testing

struct JSONAccessTests {
    let json: JSON = [
        "name": "Ada", "age": 36, "score": 1.5, "admin": true, "manager": nil,
        "items": [["tags": ["a"]], ["tags": []], ["tags": ["x", "y"]]],
    ]

    @Test func `reaches into objects and arrays`() {
        #expect(json["name"].string == "Ada")
        #expect(json["age"].int == 36)
        #expect(json["score"].double == 1.5)
        #expect(json["admin"].bool == true)
        #expect(json["items"][2]["tags"].array == ["x", "y"])
        #expect(json["items"][2]["tags"][1].string == "y")
        #expect(json.object?["age"]?.decimal == 36)
        #expect(json["age"].number?.text == "36")
    }

    @Test func `a missing member or element is null`() {
        #expect(json["nobody"].isNull)
        #expect(json["name"]["first"].isNull)
        #expect(json["items"][3].isNull)
        #expect(json["items"][-1].isNull)
        #expect(json["name"][0].isNull)
        #expect(json[0].isNull)
        #expect(json["error"]["code"].int == nil)
        let missing: JSON? = nil
        #expect(missing?["name"].string ?? "" == "")
    }

    @Test func `a missing member differs from a null one`() {
        #expect(json["manager"].isNull && json["nobody"].isNull)
        #expect(json.object?["manager"] == .some(.null))
        #expect(json.object?["nobody"] == nil)
    }

    @Test(arguments: ["12", 12, 1, 0, true, nil, [12], ["a": 12]] as [JSON])
    func `accessors do not convert between kinds of values`(_ json: JSON) {
        let kinds = [
            json.isNull, json.bool != nil, json.number != nil, json.string != nil,
            json.array != nil, json.object != nil,
        ]
        #expect(kinds.count { $0 } == 1)
        #expect((json.int != nil) == (json.number != nil))
        #expect((json.double != nil) == (json.number != nil))
        #expect((json.decimal != nil) == (json.number != nil))
    }

    @Test func `can be written as literals`() {
        let name = "Ada"
        #expect(JSON.null == nil)
        #expect(JSON.bool(true) == true)
        #expect(JSON.number(12) == 12)
        #expect(JSON.string("Hello Ada") == "Hello \(name)")
        #expect(JSON.array([.number(1), .null]) == [1, nil])
        #expect(JSON.object(["a": .string("b")]) == ["a": "b"])
        #expect((1.5 as JSON).description == "1.5")
        #expect((-2.0 as JSON).description == "-2")
        #expect(([:] as JSON).description == "{}")
        #expect(([] as JSON).description == "[]")
    }

    @Test func `a member can be set, added and removed at any depth`() {
        var json: JSON = ["name": "Ada", "tags": ["a"], "name": "hidden"]
        json["name"] = "Grace"
        json["owner"]["address"]["city"] = "London"
        json["none"] = nil
        #expect(
            json.description
                == #"{"name":"Grace","tags":["a"],"name":"hidden","owner":{"address":{"city":"London"}},"none":null}"#)
        json.remove("name")
        json["tags"].remove("a")
        json["tags"]["kind"] = 1
        json["owner"]["address"].remove("city")
        #expect(json.description == #"{"tags":{"kind":1},"owner":{"address":{}},"none":null}"#)
    }

    @Test func `members of a large object are set and found as in a small one`() {
        var json: JSON = [:]
        for number in 0..<100 { json["m\(number % 50)"] = JSON(number) }
        let copy = json
        json["m7"] = "changed"
        json.remove("m8")
        #expect(copy["m7"] == 57 && copy["m8"] == 58 && copy.object?.count == 50)
        #expect(json["m7"] == "changed" && json["m8"].isNull && json["m49"] == 99 && json.object?.count == 49)
        #expect((try? JSON(parsing: json.encoded())) == json)
    }
}
