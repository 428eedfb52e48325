@testable import HalyardHTTP
import Testing

/// What headers contain, in which order, and how fields are found.
struct HTTPHeadersTests {
    private func pairs(_ headers: HTTPHeaders) -> [String] { headers.map { "\($0.name): \($0.value)" } }

    @Test func `headers are created from fields and from a dictionary`() throws {
        let headers: HTTPHeaders = ["B": "2", "A": "1", "b": "3"]
        #expect(HTTPHeaders(headers.filter { $0.value != "2" }).map(\.value) == ["1", "3"])
        let fields = try [HTTPHeaders.Field("A", "1"), HTTPHeaders.Field("A", "2")]
        #expect(HTTPHeaders(fields).values(for: "a") == ["1", "2"])
        let values = ["B": "2", "A": "1"]
        #expect(HTTPHeaders(values).map(\.name.rawValue) == ["A", "B"])
        let invalid = HTTPHeaders(["A": "1\r\n", "B": "2"] as [String: String])
        #expect(invalid.map(\.value) == ["2"] && invalid.rejection?.kind == .invalidHeader("A"))
        let copied: some Sequence<HTTPHeaders.Field> = invalid
        #expect(HTTPHeaders(copied) == invalid)
    }

    @Test func `headers keep their order, spelling and duplicates`() {
        let headers: HTTPHeaders = ["b": "1", "A": "2", "B": "3", "b": "1"]
        #expect(pairs(headers) == ["b: 1", "A: 2", "B: 3", "b: 1"])
        #expect(headers.count == 4)
        #expect(headers[1].value == "2")
    }

    @Test(arguments: ["X-Tag", "x-tag", "X-TAG"])
    func `a name is found in any case`(_ name: String) {
        let headers: HTTPHeaders = ["X-Tag": "a", "Other": "-", "x-tAG": "b"]
        #expect(headers[name] == "a, b")
        #expect(headers.values(for: name) == ["a", "b"])
        #expect(headers.contains(name))
    }

    @Test func `a missing name returns no value`() {
        let headers: HTTPHeaders = ["X-Tag": "a"]
        #expect(headers["X-Ta"] == nil)
        #expect(headers[.contentType] == nil)
        #expect(headers.values(for: "X-Tags").isEmpty)
        #expect(!headers.contains(""))
        #expect(HTTPHeaders().isEmpty)
    }

    @Test func `setting a name replaces all of its values at the position of the first`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "C": "3", "b": "4", "D": "5"]
        headers["b"] = "new"
        #expect(pairs(headers) == ["A: 1", "b: new", "C: 3", "D: 5"])
        headers[.contentType] = "text/plain"
        #expect(pairs(headers).last == "Content-Type: text/plain")
    }

    @Test func `setting nil removes every value of the name`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3"]
        headers["A"] = nil
        #expect(pairs(headers) == ["B: 2"])
        headers.remove("b")
        headers.remove("b")
        #expect(headers.isEmpty)
    }

    @Test func `adding appends a value even if the name exists`() throws {
        var headers: HTTPHeaders = ["A": "1", "B": "2"]
        try headers.append("3", for: "a")
        #expect(pairs(headers) == ["A: 1", "B: 2", "a: 3"])
    }

    @Test func `merging replaces the values of each name with all of the other's, including duplicates`() {
        var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
        headers.merge(["a": "x", "D": "y", "A": "z"])
        #expect(pairs(headers) == ["B: 2", "C: 4", "a: x", "D: y", "A: z"])
    }

    @Test func `merging with empty headers changes nothing, and merging into empty ones copies all`() {
        var headers: HTTPHeaders = ["A": "1", "a": "2"]
        headers.merge([:])
        #expect(pairs(headers) == ["A: 1", "a: 2"])
        var empty = HTTPHeaders()
        empty.merge(headers)
        #expect(empty == headers)
    }

    @Test func `an empty value counts as a value`() {
        var headers: HTTPHeaders = ["A": "", "B": " \t "]
        #expect(headers["A"] == "" && headers["B"] == "")
        headers["C"] = ""
        #expect(headers.contains("C"))
        #expect(headers.rejection == nil)
    }

    @Test func `headers are equal in any case of their names, but not in another order`() {
        let headers: HTTPHeaders = ["A": "1", "B": "2"]
        #expect(headers == ["a": "1", "b": "2"])
        #expect(headers != ["B": "2", "A": "1"])
        #expect(headers != ["A": "1"])
        #expect(headers != ["A": "1", "B": "2", "C": "\n"])
        #expect((["A": "x"] as HTTPHeaders) != ["A": "X"])
    }

    @Test func `a header's name and value are stored without surrounding whitespace`() throws {
        let field = try HTTPHeaders.Field("accept", " */* ")
        #expect(field.name.matches("Accept") && field.value == "*/*")
    }
}

/// Names and values that headers reject.
struct HTTPHeadersRefusalTests {
    @Test(arguments: [
        ("  a b  ", "a b"), ("\ta\t", "a"), (" \t\t a", "a"), ("a \t", "a"), ("a\tb", "a\tb"), (" ", ""), ("a", "a"),
        (" \u{301}a", "\u{301}a"), ("\u{A0}a\u{A0}", "\u{A0}a\u{A0}"),
    ])
    func `whitespace at the ends is trimmed, but inner and other spaces stay`(_ given: String, _ kept: String) throws {
        let value = try HTTPHeaders.Field("A", given).value
        #expect(Array(value.unicodeScalars) == Array(kept.unicodeScalars))
    }

    @Test(arguments: ["é", "日本語", "🏴‍☠️", "\u{85}\u{2028}", "\u{FEFF}"])
    func `text beyond ASCII is kept unchanged`(_ text: String) throws {
        let value = try HTTPHeaders.Field("A", text).value
        #expect(Array(value.utf8) == Array(text.utf8))
    }

    static let controls = (UInt8(0)...31).filter { $0 != 9 } + [127]

    @Test(arguments: controls)
    func `every control character except tab is rejected at any position`(_ byte: UInt8) {
        let control = String(UnicodeScalar(byte))
        let names: [UInt8: String] = [13: "a carriage return", 10: "a line feed", 0: "NUL"]
        for value in ["\(control)", "\(control)a", "a\(control)b", "a\(control)", " \(control) ", "é\(control)"] {
            let error = #expect(throws: HTTPError.self) { try HTTPHeaders.Field("X-A", value) }
            #expect(error?.kind == .invalidHeader("X-A"))
            #expect(error?.reason == "its value contains \(names[byte] ?? "a control character")")
        }
    }

    @Test func `add throws for an invalid header and adds nothing`() {
        var headers: HTTPHeaders = ["A": "1"]
        #expect(throws: HTTPError(.invalidHeader("B"))) { try headers.append("2\r\nEvil: 1", for: "B") }
        #expect(throws: HTTPError(.invalidHeader("B C"))) { try headers.append("2", for: "B C") }
        #expect(headers == ["A": "1"])
        #expect(headers.rejection == nil)
    }

    @Test func `a literal omits invalid headers and keeps the first rejection`() {
        let headers: HTTPHeaders = ["A": "1", "B\n": "2", "C": "3\0", "D": "4"]
        #expect(headers.map(\.value) == ["1", "4"])
        #expect(
            headers.rejection?.kind == .invalidHeader("B\n") && headers.rejection?.reason == "its name is not a token")
    }

    @Test func `the subscript omits an invalid header and keeps the rejection`() {
        var headers: HTTPHeaders = ["A": "1"]
        headers["A"] = "2\n"
        headers["B"] = "3"
        #expect(headers["A"] == "1" && headers["B"] == "3")
        #expect(
            headers.rejection?.kind == .invalidHeader("A")
                && headers.rejection?.reason == "its value contains a line feed"
        )
    }

    @Test func `setting a valid value or removing the name clears an earlier rejection`() {
        var headers = HTTPHeaders()
        headers["A"] = "\n"
        headers["B"] = "\0"
        headers["a"] = "1"
        #expect(headers.rejection?.kind == .invalidHeader("B"))
        headers.remove("b")
        #expect(headers.rejection == nil && headers == ["A": "1"])
        headers["A"] = "\n"
        headers["A"] = nil
        headers["C: x"] = "1"
        headers["C: x"] = nil
        #expect(headers.rejection == nil && headers.isEmpty)
        var merged: HTTPHeaders = ["A": "\n", "B": "\n"]
        merged.merge(["a": "2"])
        #expect(merged.rejection?.kind == .invalidHeader("B"))
        merged.merge(["b": "2", "C": "\n"])
        #expect(merged.rejection?.kind == .invalidHeader("C"))
    }

    @Test func `merging keeps the rejections of both sides`() {
        let good: HTTPHeaders = ["A": "1"]
        let bad: HTTPHeaders = ["B": "\n"]
        var (one, other, empty) = (good, bad, HTTPHeaders())
        one.merge(bad)
        other.merge(good)
        empty.merge(bad)
        for headers in [one, other, empty] { #expect(headers.rejection?.kind == .invalidHeader("B")) }
    }

    @Test func `pairs in a nonthrowing initializer are treated like those of a literal`() {
        let headers = HTTPHeaders(lenient: [("A", "1"), ("", "2"), ("a", "3")])
        #expect(headers.values(for: "A") == ["1", "3"])
        #expect(headers.rejection?.kind == .invalidHeader(""))
    }
}
