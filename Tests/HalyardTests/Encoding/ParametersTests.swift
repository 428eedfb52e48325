@testable import Halyard
import Testing

/// Which parameters are kept or omitted, and their order.
struct ParametersTests {
    private func names(_ parameters: Parameters) -> [String] { parameters.items.map(\.name) }

    @Test func `parameters keep their order and duplicates`() {
        let parameters: Parameters = ["b": 1, "a": "x", "b": 2, "B": 3]
        #expect(names(parameters) == ["b", "a", "b", "B"])
        #expect(query(parameters) == "b=1&a=x&b=2&B=3")
        #expect(json(parameters) == #"{"b":1,"a":"x","b":2,"B":3}"#)
    }

    @Test func `parameters that are nil or have no name are omitted; empty ones and null are kept`() {
        let missing: Int? = nil
        let twice: Int?? = .some(nil)
        let parameters: Parameters = ["a": nil, "b": missing, "": "x", "c": "", "d": .null, "e": twice, " ": 1]
        #expect(names(parameters) == ["c", "d", " "])
        #expect(query(parameters) == "c=&d=&%20=1")
        #expect(json(parameters) == #"{"c":"","d":null," ":1}"#)
    }

    @Test func `parameters are empty if all of them are omitted`() {
        #expect(Parameters().isEmpty)
        #expect((["a": nil, "": 1] as Parameters).isEmpty)
        #expect(!(["a": .null] as Parameters).isEmpty)
        #expect(query([:]).isEmpty)
        #expect(json([:]) == "{}")
    }

    @Test func `appending adds at the end even if the name exists`() {
        var parameters: Parameters = ["a": 1]
        parameters.append("x", for: "a")
        parameters.append(nil, for: "b")
        parameters.append(2, for: "")
        #expect(query(parameters) == "a=1&a=x")
    }

    @Test func `filling adds all parameters whose names are missing, in order`() {
        var parameters: Parameters = ["b": 1, "c": .null]
        parameters.fill(from: ["d": 2, "b": 3, "c": 4, "a": 5, "d": 6])
        #expect(query(parameters) == "b=1&c=&d=2&a=5&d=6")
        parameters.fill(from: [:])
        #expect(query(parameters) == "b=1&c=&d=2&a=5&d=6")
        var empty = Parameters()
        empty.fill(from: parameters)
        #expect(empty == parameters)
    }

    @Test func `a dictionary is written in the order of its names, with the same bytes each time`() {
        let names = (0..<200).map { "n\($0 * 7919 % 200)" }
        let first = Parameters(Dictionary(uniqueKeysWithValues: names.map { ($0, 1) }))
        for _ in 0..<10 {
            let again = Dictionary(uniqueKeysWithValues: names.shuffled().map { ($0, 1) })
            #expect(json(Parameters(again)) == json(first))
            #expect(again.asParameters == first)
            #expect(query(["x": again]) == query(["x": first]))
        }
        #expect(first.items.map(\.name) == names.sorted())
    }

    @Test func `a dictionary omits nil and empty names too`() {
        #expect(query(Parameters(["b": 1, "a": nil, "": 2, "c": 3] as [String: Int?])) == "b=1&c=3")
    }

    @Test func `parameters are values and equal if their order is equal`() {
        #expect((["a": 1, "b": "x"] as Parameters) == ["a": 1, "b": "x"])
        #expect((["a": 1, "b": 2] as Parameters) != ["b": 2, "a": 1])
        #expect((["a": 1] as Parameters) != ["a": "1"])
        #expect(Set([["a": 1] as Parameters, ["a": 1]]).count == 1)
    }

    @Test func `parameters convert to themselves`() {
        #expect((["a": 1] as Parameters).asParameters == ["a": 1])
    }
}

/// Parameters as a query, or the text of the error.
func query(_ parameters: Parameters) -> String {
    do { return String(decoding: try QueryEncoder.encode(parameters), as: UTF8.self) } catch { return "\(error)" }
}

/// Parameters as a JSON body, or the text of the error.
func json(_ parameters: Parameters) -> String {
    do { return String(decoding: try parameters.encodedJSON(), as: UTF8.self) } catch { return "\(error)" }
}

/// Why parameters cannot be written, as a query and as a JSON body.
func failures(_ parameters: Parameters) -> [HTTPError?] {
    var errors: [HTTPError?] = [nil, nil]
    do { _ = try QueryEncoder.encode(parameters) } catch { errors[0] = error }
    do { _ = try parameters.encodedJSON() } catch { errors[1] = error }
    return errors
}
