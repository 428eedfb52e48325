import Foundation
@testable import OpenAPIGenerator
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

    @Test("the null of members that may be missing as well is one remark, if they are sent")
    func unsendableNull() throws {
        let body = ##""content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}"##
        func remarks(_ members: String, operation: String = #""requestBody":{\#(body)},"responses":{}"#) throws
            -> [String]
        {
            let paths = #"{"/a":{"post":{\#(operation)}}}"#
            let schemas = #"{"A":{"type":"object","required":["r"],"properties":{\#(members)}}}"#
            return try DocumentTests.plan(paths, schemas).remarks.map(\.description)
        }
        let null = #"{"type":"string","nullable":true}"#
        let start = "/components/schemas/A: the null of its member \"a\""
        let end = " cannot be sent. nil leaves the member out"
        #expect(
            try remarks(#""r":\#(null),"b":{"type":"string"},"c":{"type":["string","null"],"readOnly":true}"#) == [])
        #expect(try remarks(#""a":\#(null)"#) == [start + end])
        #expect(try remarks(#""a":\#(null),"b":\#(null)"#) == [start + ", and of another one," + end])
        #expect(try remarks(#""a":\#(null),"b":\#(null),"c":\#(null)"#) == [start + ", and of 2 others," + end])
        let response = #""responses":{"200":{"description":"",\#(body)}}"#
        #expect(try remarks(#""a":\#(null)"#, operation: response) == [])
    }

    @Test("headers of responses are one remark, at the first of them")
    func responseHeaders() throws {
        let header = #""headers":{"X-Total":{"schema":{"type":"integer"}}}"#
        func remarks(_ responses: String) throws -> [String] {
            try DocumentTests.plan(#"{"/a":{"get":{"responses":{\#(responses)}}}}"#).remarks.map(\.description)
        }
        #expect(try remarks(#""200":{"headers":{}}"#) == [])
        let place = "/paths/~1a/get/responses/200/headers: the headers of "
        let rest = " are not generated. The response has them by name"
        #expect(try remarks(#""200":{\#(header)}"#) == [place + "this response" + rest])
        #expect(
            try remarks(#""200":{\#(header)},"404":{\#(header)}"#) == [place + "2 responses, such as this," + rest])
    }

    @Test("the response to HEAD has no body")
    func head() throws {
        let plan = try DocumentTests.plan(
            #"{"/a":{"head":{"responses":{"200":{"description":"","content":{"application/json":{}}}}}}}"#)
        #expect(plan.groups.first?.operations.first?.output == .nothing)
    }

    @Test("an error type is the provider's if most operations declare it, and never hides another one")
    func failures() throws {
        func responses(_ types: KeyValuePairs<String, String>) -> String {
            let all = types.map { status, type in
                ##""\##(status)":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/\##(type)"}}}}"##
            }
            return #"{"responses":{\#((all + [#""204":{"description":""}"#]).joined(separator: ","))}}"#
        }
        func plan(_ operations: [String]) throws -> Plan {
            let paths = operations.enumerated().map { #""/p\#($0)":{"get":\#($1)}"# }.joined(separator: ",")
            let object = #"{"type":"object","properties":{"a":{"type":"string"}}}"#
            return try DocumentTests.plan("{\(paths)}", #"{"P":\#(object),"D":\#(object)}"#)
        }
        func own(_ plan: Plan) -> [[Plan.Failure]] { plan.groups.flatMap(\.operations).map(\.failures) }
        let (problem, duplicate) = (
            Plan.Failure(model: "P", statuses: 400...599), Plan.Failure(model: "D", statuses: 409...409)
        )
        // One operation's own type is not that of all.
        let rare = try plan([
            responses(["409": "D", "default": "P"]), responses(["default": "P"]), responses(["default": "P"]),
        ])
        #expect(rare.provider.failures == [problem] && own(rare) == [[duplicate], [], []])
        // The provider would try the shared one of 409 before the operation's own for all.
        let common = try plan([
            responses(["409": "D", "default": "P"]), responses(["409": "D", "default": "P"]),
            responses(["default": "P"]),
        ])
        #expect(common.provider.failures == [duplicate, problem] && own(common) == [[], [], [problem]])
        let single = try plan([responses(["404": "P"]), responses([:]), responses([:])])
        #expect(single.provider.failures == [])
        #expect(own(single).first == [Plan.Failure(model: "P", statuses: 404...404)])
    }

    @Test("a stub has a literal for any text, and one operation that streams on request has one stub")
    func stubs() throws {
        let text = ##"""
            {"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{
              "/a%20b":{"get":{"operationId":"ask","responses":{"200":{"description":"","content":{
                "application/json":{"example":{"a":"\"#x"}},"text/event-stream":{"example":"one"}}}}}},
              "/c":{"get":{"operationId":"c","responses":{"200":{"description":"","content":{
                "text/event-stream":{"example":"one\r\n\ttwo\u0000"}}}}}},
              "/ä b/{x}":{"get":{"operationId":"d","responses":{"200":{"description":"","content":{
                "application/xml":{"example":"<a/>"}}}}}},
              "/e":{"get":{"operationId":"e","responses":{"200":{"description":"","content":{
                "application/x-ndjson":{"schema":{"type":"string","format":"binary"}}}}}}}}}
            """##
        let document = try OpenAPIDocument(Data(text.utf8))
        let file = try Plan(document).exampleFile(document, Plan.Style(isPublic: false, command: "test"))
        let stubs = file.text.split(separator: "\n").filter { $0.contains("on(") }.map { $0.drop { $0 == " " } }
        #expect(
            stubs == [
                ###"on(.get, "/a%20b", times: .any, .json(text: ##"{"a":"\"#x"}"##))"###,
                #"on(.get, "/c", times: .any, .events(["one\r\n\ttwo\u{0}"]))"#,
                "on(", #"on(.get, "/e", times: .any, .data(Data(), contentType: "application/x-ndjson"))"#,
            ])
    }

    @Test("a stub has the path as a request has it")
    func stubPath() throws {
        let plan = try DocumentTests.plan(#"{"/ä b/{x}":{"get":{"operationId":"d","responses":{}}}}"#)
        let document = try OpenAPIDocument(Data(#"{"openapi":"3.0.3","paths":{"/ä b/{x}":{"get":{}}}}"#.utf8))
        let file = try plan.exampleFile(document, Plan.Style(isPublic: false, command: "test"))
        #expect(file.text.contains(#"on(.get, "/%C3%A4%20b/{x}""#))
    }

    @Test("the example of schemas that contain each other many times ends")
    func largeExample() throws {
        let schemas = (0..<30).map { level in
            let link = level == 29 ? #"{"type":"string"}"# : ##"{"$ref":"#/components/schemas/A\##(level + 1)"}"##
            return #""A\#(level)":{"type":"object","required":["a","b"],"properties":{"a":\#(link),"b":\#(link)}}"#
        }
        let paths =
            ##"{"/a":{"get":{"responses":{"200":{"description":"","content":{"application/json":{"schema":{"$ref":"#/components/schemas/A0"}}}}}}}}"##
        let text =
            #"{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":\#(paths),"components":{"schemas":{\#(schemas.joined(separator: ","))}}}"#
        let document = try OpenAPIDocument(Data(text.utf8))
        let file = try Plan(document).exampleFile(document, Plan.Style(isPublic: false, command: "test"))
        #expect(file.text.utf8.count < 1 << 20)
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
        (#"{"application/x-www-form-urlencoded; charset=utf-8":{}}"#, .form(.dictionary(.plain("String")))),
        (#"{"multipart/form-data":{}}"#, .multipart),
        (
            #"{"multipart/form-data":{"schema":{"allOf":[{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","format":"binary","nullable":true}}}}]},"encoding":{"a":{"contentType":"image/png"}}}}"#,
            .parts([
                Plan.Part(
                    name: "a", argument: "a", type: .array(.plain("MultipartPart")), isRequired: false,
                    contentType: "image/png")
            ])
        ),
    ])
    func `the content type of a body decides its argument`(content: String, kind: Plan.Body.Kind) throws {
        let text = #"{"requestBody":{"content":\#(content)},"responses":{"204":{"description":""}}}"#
        let body = try operation(text).body
        #expect(body?.kind == kind && body?.isRequired == false)
    }

    @Test("the media type that is read is asked for, if there is a choice")
    func accept() throws {
        func accept(_ content: String) throws -> String? {
            try operation(#"{"responses":{"200":{"description":"","content":\#(content)}}}"#).accept
        }
        #expect(try accept(#"{"application/json":{}}"#) == nil)
        #expect(try accept(#"{"text/csv":{},"application/json":{}}"#) == "application/json")
        #expect(try accept(#"{"application/json":{},"text/event-stream":{}}"#) == "application/json")
    }

    @Test("an operation says which authentication it needs, if it is not that of the document")
    func security() throws {
        let answer = #""responses":{"204":{"description":""}}"#
        let text = """
            {"openapi":"3.1.0","info":{"title":"T","version":"1"},"security":[{"key":[]}],"paths":{"/a":{
              "get":{\(answer)},"put":{"security":[],\(answer)},"patch":{"security":[{"key":[]}],\(answer)},
              "post":{"security":[{"key":[],"app":["read"]},{"token":[]},{}],\(answer)}}},
             "components":{"securitySchemes":{"key":{"type":"mutualTLS"},"app":{"type":"http","scheme":"hoba"}}}}
            """
        let plan = try Plan(OpenAPIDocument(Data(text.utf8)))
        #expect(
            plan.groups.flatMap(\.operations).map(\.security) == [
                nil, "It needs no authentication.", "Authentication: `key` with `app` or `token` or none.", nil,
            ])
        #expect(
            plan.provider.security == [
                "`key`: `EngineConfiguration.TLS(clientCertificate:)`, in the engine of the client"
            ])
        #expect(plan.remarks.map(\.pointer) == ["/components/securitySchemes/app"])
    }

    @Test(arguments: [
        (#"{"in":"query"}"#, Plan.Parameter.Style.members), (#"{"in":"query","explode":false}"#, .joinedMembers(",")),
        (#"{"in":"header"}"#, .joinedMembers(",")), (#"{"in":"header","explode":true}"#, .joinedMembers("=")),
        (#"{"in":"query","style":"deepObject"}"#, .value),
    ])
    func `an object is written as its style says, with the members that the document knows or any`(
        style: String, expected: Plan.Parameter.Style
    ) throws {
        let parameter = #"{"name":"a","schema":{"type":"object","additionalProperties":true},\#(style.dropFirst())"#
        let planned = try operation(#"{"parameters":[\#(parameter)],"responses":{"204":{"description":""}}}"#)
        #expect(planned.parameters.map(\.style) == [expected])
        #expect(planned.parameters.map(\.type) == [.plain("Parameters")])
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

    @Test("plain JSON comes before other kinds of it, which are no other types if their schema is the same")
    func kindsOfJSON() throws {
        func remarks(_ types: [String: String]) throws -> (body: Plan.Body?, count: Int) {
            let content = types.sorted { $0.key < $1.key }.map { #""\#($0.key)":{"schema":{"type":"\#($0.value)"}}"# }
            let text = #""content":{\#(content.joined(separator: ","))}"#
            let plan = try DocumentTests.plan(
                #"{"/a":{"post":{"requestBody":{\#(text)},"responses":{"200":{"description":"",\#(text)}}}}}"#)
            return (plan.groups.first?.operations.first?.body, plan.remarks.count)
        }
        let plain = Plan.Body.Kind.json(.plain("Int"), contentType: nil)
        let same = try remarks(["application/a+json": "integer", "application/json": "integer", "text/json": "integer"])
        #expect(same.body?.kind == plain && same.count == 0)
        let other = try remarks(["application/a+json": "string", "application/json": "integer"])
        #expect(other.body?.kind == plain && other.count == 2)
        #expect(try remarks(["application/json": "object", "application/merge-patch+json": "object"]).count == 2)
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

    @Test("a member that only responses have is optional in the models of requests, and of no others")
    func readOnlyMembers() throws {
        let model = #"{"type":"object","required":["id"],"properties":{"id":{"type":"string","readOnly":true}}}"#
        let content = { (name: String) in
            ##"{"application/json":{"schema":{"$ref":"#/components/schemas/\##(name)"}}}"##
        }
        let plan = try DocumentTests.plan(
            """
            {"/a":{"post":{"requestBody":{"required":true,"content":\(content("List"))},
              "responses":{"200":{"description":"","content":\(content("Other"))}}}}}
            """,
            ##"""
            {"List":{"type":"object","properties":{"all":{"type":"array","items":{"$ref":"#/components/schemas/Sent"}}}},
             "Sent":\##(model),"Other":\##(model)}
            """##)
        let required = plan.models.filter { $0.name != "List" }.map { model in
            if case .object(let properties, _) = model.shape { properties.map(\.isRequired) } else { [Bool]() }
        }
        #expect(plan.models.map(\.name) == ["List", "Other", "Sent"])
        #expect(required == [[true], [false]])
    }

    @Test("a response or a parameter that operations share has one type")
    func sharedResponses() throws {
        let text = ##"""
            {"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{
              "/a":{"get":{"parameters":[{"$ref":"#/components/parameters/lang"}],"responses":{
                "401":{"$ref":"#/components/responses/unauthorized"}}}},
              "/b":{"get":{"parameters":[{"$ref":"#/components/parameters/lang"}],"responses":{
                "401":{"$ref":"#/components/responses/unauthorized"}}}}},
             "components":{
              "parameters":{"lang":{"name":"l","in":"query","schema":{"type":"string","enum":["a","b"]}}},
              "responses":{"unauthorized":{"description":"","content":{"application/json":{"schema":{
                "type":"object","properties":{"message":{"type":"string"}}}}}}}}}
            """##
        let plan = try Plan(OpenAPIDocument(Data(text.utf8)))
        #expect(plan.models.map(\.name) == ["Lang", "Unauthorized"])
        #expect(plan.provider.failures == [Plan.Failure(model: "Unauthorized", statuses: 401...401)])
    }

    @Test("several credentials for one request, and a server of its own, are said only where they matter")
    func credentialsAndServers() throws {
        let text = """
            {"openapi":"3.0.3","info":{"title":"T","version":"1"},"servers":[{"url":"https://example.com"}],
             "security":[{"id":[],"key":[]}],"paths":{
              "/a":{"get":{"servers":[{"url":"https://example.com"}],"responses":{"204":{"description":""}}}}},
             "components":{"securitySchemes":{"id":{"type":"apiKey","in":"header","name":"X-ID","description":"yours"},
              "key":{"type":"apiKey","in":"header","name":"X-Key"}}}}
            """
        let plan = try Plan(OpenAPIDocument(Data(text.utf8)))
        #expect(plan.remarks.map(\.pointer) == ["/security/0"])
        #expect(plan.provider.security.first == #"`id`: `.apiKey(key, header: "X-ID")`. yours"#)
    }

    @Test("the parts of a form that operations share are named after it and the member")
    func sharedForm() throws {
        let text = ##"""
            {"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/a":{"post":{
              "requestBody":{"$ref":"#/components/requestBodies/upload"},"responses":{"204":{"description":""}}}}},
             "components":{"requestBodies":{"upload":{"content":{"multipart/form-data":{"schema":{"type":"object",
              "properties":{"status":{"type":"string","enum":["a"]},"kind":{"type":"string","enum":["b"]}}}}}}}}}
            """##
        let plan = try Plan(OpenAPIDocument(Data(text.utf8)))
        #expect(plan.models.map(\.name) == ["UploadStatus", "UploadKind"])
    }
}
