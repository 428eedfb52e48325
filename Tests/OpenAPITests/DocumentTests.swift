import Foundation
import HalyardOpenAPI
@testable import OpenAPIGenerator
import Testing

/// Documents that cannot be read, what is decided of those that can, and the remarks on what is left out.
struct DocumentTests {
    static func plan(_ paths: String, _ schemas: String = "{}", selection: Selection = Selection()) throws -> Plan {
        let text = """
            {"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":\(paths),"components":{"schemas":\(schemas)}}
            """
        return try Plan(OpenAPIDocument(Data(text.utf8)), selection: selection)
    }

    @Test(arguments: [
        (#"{"swagger":"2.0"}"#, "/swagger: Swagger 2.0 is not read. Convert it to OpenAPI 3 first"),
        (#"{"openapi":"4.0"}"#, "/openapi: OpenAPI 4.0 is not read, only 3.0 and 3.1"),
        ("{}", "/openapi: the version of OpenAPI is missing"),
        (#"{"openapi":3.0}"#, "/openapi: the version of OpenAPI must be a text, such as \"3.0.3\""),
        ("[]", "the document: it is not a JSON object"),
        (
            "openapi: 3.0.0\n",
            "the document: it is not a JSON object. Convert YAML to JSON first: pip install ruamel.yaml"
        ),
        ("o\u{0}p\u{0}", "the document: it is not UTF-8"),
        ("{", "the document: it is not JSON:"),
        (String(repeating: "[", count: 2000), "the document: it is not"),
    ])
    func `a document that cannot be read is an error that says what to do`(text: String, message: String) {
        let error = #expect(throws: DocumentError.self) { try OpenAPIDocument(Data(text.utf8)) }
        #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error?.description ?? "")")
    }

    @Test(arguments: [
        ("#/components/schemas/B", "/components/schemas/A/properties/b: nothing is at #/components/schemas/B"),
        ("#", "/components/schemas/A/properties/b: # is the whole document, which is no schema"),
        (
            "other.json#/B",
            "/components/schemas/A/properties/b: other.json#/B is outside the document. Bundle the documents first"
        ),
        (
            "#/components/schemas/A/properties/b",
            "/components/schemas/A/properties/b: #/components/schemas/A/properties/b refers to itself"
        ),
    ])
    func `a reference that leads nowhere is an error with its place`(reference: String, message: String) {
        let error = #expect(throws: DocumentError.self) {
            try Self.plan("{}", #"{"A":{"type":"object","properties":{"b":{"$ref":"\#(reference)"}}}}"#)
        }
        #expect(error?.description == message)
    }

    @Test("a schema that includes itself is an error, and one that refers to itself is not")
    func circles() throws {
        #expect(throws: DocumentError.self) {
            try Self.plan(
                "{}", ##"{"A":{"allOf":[{"$ref":"#/components/schemas/A"},{"type":"object","properties":{"b":{}}}]}}"##)
        }
        let plan = try Self.plan(
            "{}",
            ##"{"A":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/A"},"all":{"type":"array","items":{"$ref":"#/components/schemas/A"}}}}}"##
        )
        guard case .object(let properties, _) = plan.models.first?.shape else { return #expect(Bool(false)) }
        #expect(properties.map(\.isBoxed) == [true, false])
    }

    @Test("an object that is included on many ways is read once")
    func diamonds() throws {
        let links = (1...60).map {
            ##""A\##($0)":{"allOf":[{"$ref":"#/components/schemas/A\##($0 - 1)"},{"$ref":"#/components/schemas/A\##($0 - 1)"}],"properties":{"p\##($0)":{}}}"##
        }
        let first = #""A0":{"type":"object","properties":{"p0":{"type":"string"}}}"#
        let plan = try Self.plan("{}", "{\(([first] + links).joined(separator: ","))}")
        guard case .object(let properties, _) = plan.models.last?.shape else { return #expect(Bool(false)) }
        #expect(properties.count == 61)
    }

    @Test("a type of a union that requires more members is tried first, and null beside a reference makes an optional")
    func unions() throws {
        let plan = try Self.plan(
            "{}",
            ##"""
            {"A":{"type":"object","properties":{"a":{"type":"string"}}},
             "B":{"type":"object","required":["a"],"properties":{"a":{"type":"string"}}},
             "C":{"type":"object","required":["u","n"],"properties":{
               "u":{"oneOf":[{"$ref":"#/components/schemas/A"},{"$ref":"#/components/schemas/B"}]},
               "n":{"$ref":"#/components/schemas/A","nullable":true}}}}
            """##)
        let model = try #require(plan.models.first { $0.name == "C" })
        guard case .union(let variants, nil) = model.nested.first?.shape else { return #expect(Bool(false)) }
        #expect(variants.map(\.name) == ["b", "a"])
        guard case .object(let properties, _) = model.shape else { return #expect(Bool(false)) }
        #expect(properties.last?.type == .optional(.model("A")) && properties.last?.isRequired == true)
    }

    @Test("a byte order mark before a document is ignored")
    func byteOrderMark() throws {
        let document = try OpenAPIDocument(Data([0xEF, 0xBB, 0xBF]) + Data(#"{"openapi":"3.1.0","info":{}}"#.utf8))
        #expect(document.root["info"].exists)
    }

    @Test("a group with the name of a model, or of a model with that ending, has a name of its own")
    func groupNames() throws {
        let object = #"{"type":"object","properties":{"a":{"type":"string"}}}"#
        let answer = #""responses":{"204":{"description":""}}"#
        let plan = try DocumentTests.plan(
            #"{"/a":{"get":{"tags":["pets"],\#(answer)},"put":{"tags":["Pets"],\#(answer)},"post":{"tags":["dogs"],\#(answer)}}}"#,
            #"{"Pets":\#(object),"PetsRoutes":\#(object)}"#)
        #expect(plan.groups.map(\.name) == ["PetsRoutes2", "Dogs"])
    }

    @Test("a file imports Foundation for all only if its code needs it")
    func publicImports() throws {
        func head(_ schema: String) throws -> Bool {
            let files = try Self.plan("{}", #"{"A":\#(schema)}"#).files(Plan.Style(isPublic: true, command: "test"))
            return try #require(files.last).text.contains("public import Foundation")
        }
        #expect(try head(#"{"type":"object","properties":{"a":{"type":"string","format":"date-time"}}}"#))
        #expect(try !head(#"{"type":"object","description":"Date","properties":{"Date":{"type":"string"}}}"#))
    }

    @Test("no text of a document becomes code")
    func injection() throws {
        let evil = #"x\n}\nlet evil = 1 //\rlet evil = 2 \u2028let evil = 3"#
        let plan = try Self.plan(
            #"{"/\#(evil)":{"get":{"summary":"\#(evil)","tags":["\#(evil)"],"responses":{"204":{"description":""}}}}}"#,
            #"{"\#(evil)":{"type":"object","description":"\#(evil)","properties":{"\#(evil)":{"type":"string"}}}}"#)
        let files = plan.files(Plan.Style(isPublic: false, command: "test"))
        for line in files.flatMap({ $0.text.split(whereSeparator: { ["\n", "\r", "\r\n"].contains($0) }) }) {
            #expect(!line.drop { $0 == " " }.hasPrefix("let evil"))
        }
        #expect(files.allSatisfy { $0.name.allSatisfy { $0.isLetter || $0.isNumber || ".+".contains($0) } })
    }

    @Test("what is left out is a remark with its place")
    func remarks() throws {
        let plan = try Self.plan(
            """
            {"/a/{m}":{"post":{
              "parameters":[{"name":"s","in":"body","schema":{"type":"string"}},
                {"name":"m","in":"path","required":true,"style":"matrix","schema":{"type":"string"}}],
              "requestBody":{"content":{"multipart/form-data":{"schema":{"type":"object"}}}},
              "responses":{"200":{"description":""}}}}}
            """, #"{"A":{"type":"file"}}"#)
        #expect(
            plan.remarks.map(\.description) == [
                "/paths/~1a~1{m}/post/parameters/0: a parameter in \"body\" is not known, and left out",
                "/paths/~1a~1{m}/post/parameters/1: the style matrix is not known. The argument is a String that you write in it",
                "/paths/~1a~1{m}/post/requestBody/content/multipart~1form-data: the parts of the form are not known. The argument is a list of MultipartPart",
                "/components/schemas/A: the type \"file\" is not known. It is any JSON",
            ])
    }

    @Test("a placeholder that is no parameter becomes an argument, with a remark")
    func undeclaredPlaceholder() throws {
        let plan = try Self.plan(#"{"/a/{b}/c":{"get":{"responses":{"204":{"description":""}}}}}"#)
        #expect(plan.groups.first?.operations.first?.path == [.text("/a/"), .argument("b"), .text("/c")])
        #expect(
            plan.remarks.map(\.description) == [
                "/paths/~1a~1{b}~1c/get: its path has {b}, which is no parameter. The argument is a String"
            ])
    }

    @Test("a document beyond the limit is refused")
    func tooLarge() {
        let error = #expect(throws: DocumentError.self) {
            try OpenAPIDocument(Data(count: OpenAPIDocument.limit + 1))
        }
        #expect(error?.description == "the document: it has more than the 67108864 bytes that are read")
    }

    @Test("a selection takes the operations that it names, and only the models that they need")
    func selection() throws {
        let paths = """
            {"/a":{"get":{"operationId":"one","tags":["x"],"responses":{"200":{"description":"","content":{"application/json":
              {"schema":{"$ref":"#/components/schemas/A"}}}}}}},
             "/b":{"get":{"operationId":"two","tags":["y"],"responses":{"200":{"description":""}}}}}
            """
        let schemas =
            #"{"A":{"type":"object","properties":{"a":{"type":"string"}}},"B":{"type":"object","properties":{"b":{"type":"string"}}}}"#
        #expect(try Self.plan(paths, schemas).models.map(\.name) == ["A", "B"])
        var selection = Selection()
        selection.tags = ["x"]
        let one = try Self.plan(paths, schemas, selection: selection)
        #expect(one.models.map(\.name) == ["A"] && one.groups.flatMap(\.operations).map(\.name) == ["one"])
        selection = Selection()
        selection.paths = ["/b"]
        #expect(try Self.plan(paths, schemas, selection: selection).models == [])
        selection.paths = ["/c"]
        #expect(throws: DocumentError("/paths", "no operation has the path \"/c\"")) {
            try Self.plan(paths, schemas, selection: selection)
        }
    }

    @Test(arguments: [
        ("node_id", "nodeID", "NodeID"), ("htmlUrl", "htmlURL", "HTMLURL"), ("URL", "url", "URL"),
        ("+1", "plus1", "Plus1"),
        ("default", "default", "Default"), ("two words", "twoWords", "TwoWords"), ("404", "_404", "N404"),
        ("ids", "ids", "IDs"),
        ("team_ids", "teamIDs", "TeamIDs"), ("HTTPServer", "httpServer", "HTTPServer"), ("🎉", "value", "Value"),
        ("é", "value", "Value"),
        ("$ref", "ref", "Ref"), ("x-y.z", "xYZ", "XYZ"),
    ])
    func `names of a document become names of Swift`(text: String, member: String, type: String) {
        #expect(Names.member(text) == member)
        #expect(Names.type(text) == type)
    }

    @Test(arguments: ["class", "Route", "String"])
    func `a provider cannot have the name of a type that its code uses, or a word of the language`(name: String) throws
    {
        let text = #"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}"#
        let document = try OpenAPIDocument(Data(text.utf8))
        let message = "the provider cannot be named \(name). Choose another name"
        #expect(throws: DocumentError("", message)) { try Plan(document, name: name) }
    }

    @Test("names that clash get numbers, and words of the language backticks")
    func clashes() throws {
        let plan = try Self.plan(
            "{}",
            #"{"A":{"type":"object","properties":{"a_b":{"type":"string"},"aB":{"type":"string"},"class":{"type":"string"}}},"String":{"type":"object","properties":{"a":{"type":"string"}}}}"#
        )
        #expect(plan.models.map(\.name) == ["A", "StringModel"])
        let text = plan.files(Plan.Style(isPublic: true, command: "test")).last?.text ?? ""
        #expect(text.contains("public var aB: String?\n    public var aB2: String?\n    public var `class`: String?\n"))
    }
}
