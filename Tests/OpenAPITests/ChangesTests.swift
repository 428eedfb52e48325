import Foundation
@testable import OpenAPIGenerator
import Testing

/// What a file of changes does to a plan, and what is wrong with one.
struct ChangesTests {
    private static func document() throws -> OpenAPIDocument {
        let text = ##"""
            {"openapi":"3.0.3","info":{"title":"T","version":"1"},
             "paths":{"/a":{
               "get":{"operationId":"getAll","parameters":[
                   {"name":"q","in":"query","schema":{"type":"string"}},
                   {"name":"old","in":"query","schema":{"type":"string"}}],
                 "responses":{"200":{"description":"","content":{"application/json":
                   {"schema":{"$ref":"#/components/schemas/simple-user"}}}}}},
               "delete":{"responses":{"204":{"description":""}}}}},
             "components":{"schemas":{
               "simple-user":{"type":"object","properties":{
                 "id":{"type":"integer"},"nm":{"type":"string"},"old":{"type":"string"},
                 "pay":{"$ref":"#/components/schemas/money"}}},
               "money":{"type":"object","properties":{"x":{"type":"string"}}}}}}
            """##
        return try OpenAPIDocument(Data(text.utf8))
    }

    @Test("names, types and places to skip change the plan")
    func changes() throws {
        let document = try Self.document()
        let text = """
            {"names":{"/components/schemas/simple-user":"User","/paths/~1a/get":"all",
               "/paths/~1a/get/parameters/0":"words","/components/schemas/simple-user/properties/nm":"name"},
             "types":{"/components/schemas/simple-user/properties/id":"UserID","/components/schemas/money":"Money"},
             "skip":["/paths/~1a/delete","/components/schemas/simple-user/properties/old","/paths/~1a/get/parameters/1"]}
            """
        let plan = try Plan(document, changes: Changes(Data(text.utf8), for: document))
        #expect(plan.models.map(\.name) == ["User"])
        guard case .object(let properties, _) = plan.models.first?.shape else { return #expect(Bool(false)) }
        #expect(properties.map(\.name) == ["id", "name", "pay"] && properties.map(\.key) == ["id", "nm", "pay"])
        #expect(properties.map(\.type.unwrapped) == [.plain("UserID"), .plain("String"), .plain("Money")])
        let operations = plan.groups.flatMap(\.operations)
        #expect(operations.map(\.name) == ["all"])
        #expect(operations.first?.parameters.map(\.argument) == ["words"])
    }

    @Test(arguments: [
        ("[", "the file of changes: it is not JSON:"),
        (#"{"colors":{}}"#, "the file of changes, /colors: a file of changes has names, types and skip, but not this"),
        (#"{"names":{"/paths":1}}"#, "the file of changes, /names/~1paths: it must be a text"),
        (
            #"{"names":{"/paths":"a b"}}"#,
            "the file of changes, /names: \"a b\", the name for /paths, is not an identifier of Swift"
        ),
        (#"{"names":{"/paths":"_"}}"#, "the file of changes, /names: \"_\", the name for /paths, is not an identifier"),
        (
            #"{"names":{"/components":"A"}}"#,
            "/components: only schemas, properties, operations and parameters can have another name"
        ),
        (
            #"{"skip":["/components/schemas/money"]}"#,
            "/components/schemas/money: only operations, properties and parameters can be skipped"
        ),
        (
            #"{"types":{"/components/schemas/money":"Amount"},"names":{"/components/schemas/simple-user":"Amount"}}"#,
            "/components/schemas/simple-user: another type has the name Amount"
        ),
        (#"{"skip":["/paths/~1b"]}"#, "/paths/~1b: the file of changes names it, but nothing is there"),
        (
            #"{"names":{"/components/schemas/money":"A","/components/schemas/simple-user":"A"}}"#,
            "/components/schemas/money: another type has the name A"
        ),
    ])
    func `a flaw is an error that names it`(text: String, message: String) throws {
        let document = try Self.document()
        let error = #expect(throws: DocumentError.self) {
            _ = try Plan(document, changes: Changes(Data(text.utf8), for: document))
        }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }
}
