import Foundation
@testable import Halyard
import Testing

/// Lists and objects as parameters, and how deep they may be.
struct NestingTests {
    @Test func `a list repeats its name in a query and becomes an array in JSON`() {
        let parameters: Parameters = ["t": ["a", "b"], "n": [1, nil, 2] as [Int?], "e": [String](), "z": 1]
        #expect(query(parameters) == "t=a&t=b&n=1&n=2&z=1")
        #expect(json(parameters) == #"{"t":["a","b"],"n":[1,2],"e":[],"z":1}"#)
    }

    @Test func `member names are put in brackets in a query`() {
        let parameters: Parameters = [
            "o": ["min": 1, "name": "x y", "none": nil, "null": .null] as Parameters, "d": ["b": 2, "a": 1],
        ]
        #expect(query(parameters) == "o%5Bmin%5D=1&o%5Bname%5D=x%20y&o%5Bnull%5D=&d%5Ba%5D=1&d%5Bb%5D=2")
        #expect(json(parameters) == #"{"o":{"min":1,"name":"x y","null":null},"d":{"a":1,"b":2}}"#)
    }

    @Test func `lists and objects in a list are numbered in a query`() {
        let parameters: Parameters = ["m": [[1, 2], [3]], "o": [["a": 1], ["a": 2]], "p": ["l": ["x", "y"]]]
        #expect(
            query(parameters)
                == "m%5B0%5D=1&m%5B0%5D=2&m%5B1%5D=3&o%5B0%5D%5Ba%5D=1&o%5B1%5D%5Ba%5D=2&p%5Bl%5D=x&p%5Bl%5D=y")
        #expect(json(parameters) == #"{"m":[[1,2],[3]],"o":[{"a":1},{"a":2}],"p":{"l":["x","y"]}}"#)
    }

    @Test func `names are encoded at every level`() {
        #expect(query(["a&b[": ["=]": "x"]]) == "a%26b%5B%5B%3D%5D%5D=x")
        #expect(json(["\"\n": ["\\": 1]]) == #"{"\"\n":{"\\":1}}"#)
    }

    private static func nested(_ depth: Int, inLists: Bool) -> ParameterValue {
        (0..<depth).reduce(ParameterValue.text("x")) { value, _ in
            inLists ? [value].parameterValue : (["a": value] as Parameters).parameterValue
        }
    }

    @Test(arguments: [true, false])
    func `values may be nested up to the limit, and their JSON is read back`(_ inLists: Bool) throws {
        let parameters: Parameters = ["v": Self.nested(511, inLists: inLists)]
        #expect(query(parameters).hasSuffix("=x"))
        #expect(try JSON(parsing: json(parameters)).description == json(parameters))
        let beyond: Parameters = ["v": Self.nested(512, inLists: inLists)]
        for error in failures(beyond) {
            #expect(error?.kind == .encoding("v"))
            #expect(error?.reason == "it is nested more than 511 levels deep")
        }
    }

    /// Threads of Apple systems have 512 KB of stack by default.
    @Test(.timeLimit(.minutes(3)), arguments: [10_000, 100_000], [true, false])
    func `excessive depth fails with a typed error on a small stack and crashes no other operation`(
        _ depth: Int, _ inLists: Bool
    ) async {
        let errors = await withCheckedContinuation { continuation in
            let thread = Thread {
                let parameters: Parameters = ["v": Self.nested(depth, inLists: inLists)]
                let isEqual =
                    parameters == ["v": Self.nested(depth, inLists: inLists)] && Set([parameters]).contains(parameters)
                continuation.resume(returning: isEqual ? failures(parameters) : [])
            }
            thread.stackSize = 512 * 1024
            thread.start()
        }
        #expect(errors.count == 2)
        for error in errors { #expect(error?.reason == "it is nested more than 511 levels deep") }
        for error in errors { #expect(error?.description.count ?? .max < 500) }
    }

    /// Long flat lists are limited by memory, not by the stack.
    @Test func `a value with many members is not treated as deep`() {
        let parameters: Parameters = ["v": Array(repeating: Self.nested(100, inLists: false), count: 100)]
        #expect(query(parameters).count(where: { $0 == "x" }) == 100)
    }
}
