import Foundation
import OpenAPIGenerator
import Testing

/// What operations, their contents and the servers become.
struct OperationTests {
    private func operation(_ text: String, _ schemas: String = "{}") throws -> Plan.Operation {
        let plan = try DocumentTests.plan(#"{"/a":{"post":\#(text)}}"#, schemas)
        return try #require(plan.groups.first?.operations.first)
    }

    @Test(arguments: [
        (#"{"application/json":{"schema":{"type":"string"}}}"#, Plan.Output.value(.plain("String"))),
        (#"{"application/vnd.x+json; charset=utf-8":{"schema":{"type":"integer"}}}"#, .value(.plain("Int"))),
        (#"{"*/*":{"schema":{"type":"integer"}}}"#, .value(.plain("Int"))),
        (#"{"*/*":{"schema":{"type":"string","format":"binary"}}}"#, .value(.plain("Data"))),
        (#"{"application/json":{}}"#, .value(.plain("JSON"))),
        (#"{"text/csv":{}}"#, .value(.plain("String"))), (#"{"image/png":{}}"#, .value(.plain("Data"))),
        (#"{"text/event-stream":{}}"#, .events(.plain("String"))),
        (#"{"text/plain":{},"application/json":{"schema":{"type":"boolean"}}}"#, .value(.plain("Bool"))),
    ])
    func `the content type of a response decides its type`(content: String, output: Plan.Output) throws {
        let text = #"{"responses":{"200":{"description":"","content":\#(content)}}}"#
        #expect(try operation(text).output == output)
    }

    @Test("an operation that streams on request is two functions")
    func eventsOnRequest() throws {
        let content =
            #"{"application/json":{"schema":{"type":"integer"}},"text/event-stream":{"schema":{"type":"boolean"}}}"#
        let plan = try DocumentTests.plan(
            #"{"/a":{"post":{"operationId":"ask","responses":{"200":{"description":"","content":\#(content)}}}}}"#)
        let operations = plan.groups.flatMap(\.operations)
        #expect(operations.map(\.name) == ["ask", "askEvents"])
        #expect(operations.map(\.output) == [.value(.plain("Int")), .events(.plain("Bool"))])
        #expect(plan.remarks == [])
    }

    @Test("a success without a body beside one with a body makes an optional")
    func optionalOutput() throws {
        let operation = try operation(
            """
            {"responses":{"200":{"description":"","content":{"application/json":{"schema":{"type":"string"}}}},
              "204":{"description":""}}}
            """)
        #expect(operation.output == .value(.optional(.plain("String"))))
    }

    @Test(arguments: [
        (#"{"application/json":{"schema":{"type":"string"}}}"#, Plan.Body.Kind.json(.plain("String"))),
        (#"{"*/*":{"schema":{"type":"string"}}}"#, .json(.plain("String"))),
        (
            #"{"application/merge-patch+json":{"schema":{"type":"string"}}}"#,
            .json(.plain("String"), contentType: "application/merge-patch+json")
        ),
        (#"{"text/xml":{}}"#, .text(contentType: "text/xml")), (#"{"image/png":{}}"#, .bytes(contentType: "image/png")),
        (#"{"application/x-www-form-urlencoded":{}}"#, .form(.dictionary(.plain("String")))),
        (
            #"{"application/x-www-form-urlencoded":{"schema":{"type":"object","additionalProperties":{"type":"string"}},"encoding":{"a":{"style":"deepObject"}}}}"#,
            .form(.dictionary(.plain("String")), .indexed)
        ),
        (#"{"multipart/form-data":{}}"#, .multipart),
    ])
    func `the content type of a body decides its argument`(content: String, kind: Plan.Body.Kind) throws {
        let text = #"{"requestBody":{"content":\#(content)},"responses":{"204":{"description":""}}}"#
        let body = try operation(text).body
        #expect(body?.kind == kind && body?.isRequired == false)
    }

    @Test("a form that can have no field is no body")
    func emptyForm() throws {
        let content =
            #"{"application/x-www-form-urlencoded":{"schema":{"type":"object","properties":{}}}}"#
        let text = #"{"requestBody":{"content":\#(content)},"responses":{"204":{"description":""}}}"#
        #expect(try operation(text).body == nil)
    }

    @Test(arguments: [
        (#"{"style":"form"}"#, #"{"style":"form"}"#, Plan.Arrays.repeated, 0),
        (#"{"explode":false}"#, #"{"explode":false}"#, .commas, 0),
        (#"{"style":"deepObject"}"#, #"{"style":"deepObject"}"#, .indexed, 0),
        (#"{"style":"deepObject"}"#, #"{"style":"form"}"#, .repeated, 1),
        (#"{"explode":false}"#, #"{"style":"form"}"#, .repeated, 0),
    ])
    func `lists of one style are written by the encoding`(
        first: String, second: String, arrays: Plan.Arrays, remarks: Int
    ) throws {
        let list = #""in":"query","schema":{"type":"array","items":{"type":"string"}}"#
        let parameters = [("a", first), ("b", second)].map { #"{"name":"\#($0)",\#(list),\#($1.dropFirst())"# }
        let plan = try DocumentTests.plan(
            #"{"/a":{"get":{"parameters":[\#(parameters.joined(separator: ","))],"responses":{"204":{"description":""}}}}}"#
        )
        #expect(plan.groups.first?.operations.first?.arrays == arrays && plan.remarks.count == remarks)
    }

    @Test("what several types, servers of its own and callbacks become is said")
    func remarks() throws {
        let plan = try DocumentTests.plan(
            """
            {"/a":{"post":{"servers":[{"url":"/x"}],"callbacks":{},
              "requestBody":{"content":{"text/plain":{},"application/merge-patch+json":{"schema":{"type":"string"}}}},
              "responses":{"200":{"description":"","content":{"text/plain":{},"application/json":{}}}}}}}
            """)
        #expect(
            plan.remarks.map(\.description) == [
                "/paths/~1a/post/requestBody/content: the body has several types. Only application/merge-patch+json is written",
                "/paths/~1a/post/responses: a response has several types. Only application/json is read",
                "/paths/~1a/post: its own server is not used. The request goes to the base URL",
                "/paths/~1a/post/callbacks: callbacks are not generated",
            ])
    }

    @Test("operations without an ID, a tag or unique names have names all the same")
    func names() throws {
        let answer = #""responses":{"204":{"description":""}}"#
        let plan = try DocumentTests.plan(
            """
            {"/a/{b}":{"get":{"parameters":[{"name":"b","in":"path","required":true,"schema":{"type":"string"}}],
                \(answer)}},
             "/api/v2/dogs":{"get":{"operationId":"list",\(answer)}},"/v1/{x}":{"parameters":[{"name":"x","in":"path","required":true,"schema":{}}],"get":{"operationId":"one",\(answer)}},
             "/c":{"get":{"operationId":"x","tags":["T"],\(answer)},"put":{"operationId":"x","tags":["T"],\(answer)},
               "post":{"operationId":"t_make","tags":["T"],\(answer)}}}
            """)
        #expect(plan.groups.map(\.name) == ["A", "Dogs", "API", "T"])
        #expect(plan.groups.flatMap(\.operations).map(\.name) == ["getAByB", "list", "one", "x", "x2", "make"])
    }

    @Test(arguments: [
        (
            #"{"url":"https://{a}.example.com:{b}/v{a}","variables":{"a":{"default":"eu"},"b":{"default":8443}}}"#,
            "https://eu.example.com:8443/veu" as String?
        ),
        (#"{"url":"https://example.com/v1"}"#, "https://example.com/v1"), (#"{"url":"/v1"}"#, nil),
        (#"{"url":"https://{a}","variables":{"a":{"default":"{a}"}}}"#, nil),
    ])
    func `the first server is the base URL, with the defaults of its variables`(server: String, url: String?) throws {
        let text = #"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"servers":[\#(server)],"paths":{}}"#
        let plan = try Plan(OpenAPIDocument(Data(text.utf8)))
        #expect(plan.provider.server == url)
        #expect(plan.remarks.map(\.pointer) == (url == nil ? ["/servers/0"] : []))
    }
}
