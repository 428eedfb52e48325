import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Part A3 of the acceptance table: multipart forms. Every body is read by the strict ``ParsedForm``.
struct MultipartTests {
    /// Sends a route to a new server, and returns the received request.
    static func send(_ route: Route, _ api: (LoopbackServer) -> TestAPI = { TestAPI($0) }) async throws
        -> RecordedRequest
    {
        let server = try LoopbackServer.accepting()
        try await api(server).request(route).void()
        return try server.request
    }

    static func send(_ form: [MultipartPart], over engine: Engine? = nil) async throws -> ParsedForm {
        try ParsedForm(
            await send(Route(path: "/f", method: .post, multipart: form)) { server in
                engine.map { TestAPI(server, over: $0) } ?? TestAPI(server)
            })
    }

    @Test("an error names a negative length or a total beyond the maximum, and nothing is sent")
    func lengths() async throws {
        let server = try LoopbackServer.accepting()
        func part(_ name: String, _ length: Int64) -> MultipartPart {
            .stream([Data("a".utf8)].async, name: name, filename: "a", length: length)
        }
        for (form, kind, reason) in [
            ([part("clip", -1)], "clip", "-1"), ([part("a", .max)], "the body", "\(Int64.max)"),
            ([part("a", .max), part("b", .max)], "the body", "\(Int64.max)"),
        ] as [([MultipartPart], String, String)] {
            let route = Route(path: "/f", method: .post, multipart: form)
            let error = await #expect(throws: HTTPError.self) { try await TestAPI(server).request(route).void() }
            #expect(error == HTTPError(.encoding(kind)) && error?.reason?.contains(reason) == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("fields and data are sent byte for byte, in the order they were added", .behaviors(40, 41, 42))
    func bytes() async throws {
        var form: [MultipartPart] = [.data(Data([0xFF, 0x00, 0x0D, 0x0A]), name: "image", filename: "image.jpg")]
        form.append(.text("v", name: "k"))
        form.append(.data(Data("raw".utf8), name: "blob"))
        let request = try await Self.send(Route(path: "/profile/picture", method: .post, multipart: form))
        let type = try #require(request.headers["Content-Type"])
        let boundary = try #require(type.split(separator: "=").last)
        #expect(type.wholeMatch(of: /multipart\/form-data; boundary=Boundary-[0-9]{20,40}/) != nil)
        var expected = Data(
            """
            --\(boundary)\r\nContent-Disposition: form-data; name="image"; filename="image.jpg"\r\n\
            Content-Type: image/jpeg\r\n\r\n
            """.utf8)
        expected += [0xFF, 0x00, 0x0D, 0x0A]
        expected += Data(
            """
            \r\n--\(boundary)\r\nContent-Disposition: form-data; name="k"\r\n\r\nv\r\n\
            --\(boundary)\r\nContent-Disposition: form-data; name="blob"\r\n\
            Content-Type: application/octet-stream\r\n\r\nraw\r\n--\(boundary)--\r\n
            """.utf8)
        #expect(request.body == expected)
        #expect(request.headers["Content-Length"] == "\(expected.count)")
    }

    @Test(
        "parameters become parts as in other encodings; nil and empty names are omitted", .behaviors(43, 47),
        .defects("BK5", "BN23"))
    func params() async throws {
        let params: Parameters = [
            "flag": true, "date": Date(timeIntervalSince1970: 1.005), "list": ["a", "b"], "nil": nil, "": "nameless",
            "empty": "", "nested": ["a": 1], "url": URL(string: "https://example.com/?a=b"),
            "sparse": [1, nil] as [Int?],
        ]
        let route = Route(path: "/f", method: .post, params: params, encoding: .multipart)
        let request = try await Self.send(route) { TestAPI($0).with(\.additionalParams, ["token": 12345]) }
        let form = try ParsedForm(request)
        let names = ["flag", "date", "list", "list", "empty", "nested[a]", "url", "sparse", "token"]
        #expect(form.dispositions == names.map { #"name="\#($0)""# })
        #expect(form.texts == ["true", "1005", "a", "b", "", "1", "https://example.com/?a=b", "1", "12345"])
        #expect(form.parts.allSatisfy { $0.contentType == nil })
        #expect(request.target == "/api/f")
    }

    @Test(
        "parameters of the provider and the route precede the form's parts, and duplicates are kept", .behaviors(8),
        .defects("BN23", "BN26"))
    func paramsAndParts() async throws {
        let route = Route(
            path: "/f", method: .post, params: ["foo": "bar"],
            multipart: [.text("1", name: "n"), .text("2", name: "n"), .text("3", name: "foo")])
        let form = try ParsedForm(await Self.send(route) { TestAPI($0).with(\.additionalParams, ["token": "t"]) })
        #expect(form.dispositions == ["foo", "token", "n", "n", "foo"].map { #"name="\#($0)""# })
        #expect(form.texts == ["bar", "t", "1", "2", "3"])
    }

    @Test(
        "a file becomes a part with its name and all bytes, and a list of files one part for each", .behaviors(44, 45),
        .defects("BN26"))
    func files() async throws {
        let folder = try TemporaryFolder()
        let (text, picture) = (Data("abcdefghijklmnopqrstuvwxyz".utf8), Data.noise(10_392))
        let files = [try folder.write(text, to: "test.txt"), try folder.write(picture, to: "test.jpg")]
        let params: Parameters = ["note": "x", "attachments": files]
        let form = try ParsedForm(
            await Self.send(Route(path: "/f", method: .post, params: params, encoding: .multipart)))
        #expect(
            form.dispositions == [
                #"name="note""#, #"name="attachments"; filename="test.txt""#,
                #"name="attachments"; filename="test.jpg""#,
            ])
        #expect(form.parts.map(\.contentType) == [nil, "text/plain", "image/jpeg"])
        #expect(form.parts.dropFirst().map(\.body) == [text, picture])
    }

    @Test("a .file value makes parameters multipart for any method, and any other encoding fails", .behaviors(53, 44))
    func fileValues() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("content", to: "a.csv")
        for method in [HTTPMethod.post, .put, .patch, .get] {
            let params: Parameters = ["n": 1, "file": .file(file)]
            let request = try await Self.send(Route(path: "/f", method: method, params: params))
            let form = try ParsedForm(request)
            #expect(form.dispositions == [#"name="n""#, #"name="file"; filename="a.csv""#])
            #expect(form.texts == ["1", "content"])
            #expect(request.target == "/api/f")
        }
        let server = try LoopbackServer.accepting()
        for encoding in [ParameterEncoding.json, .form, .url] {
            let route = Route(path: "/f", method: .post, params: ["file": .file(file)], encoding: encoding)
            await #expect(throws: HTTPError(.encoding("the body"))) {
                try await TestAPI(server).request(route).void()
            }
        }
        #expect(server.connectionCount == 0)
    }

    @Test("each kind of part has the right headers", .behaviors(49))
    func parts() async throws {
        let data = Data("x".utf8)
        let form = try await Self.send([
            .text("x", name: "a"), .data(data, name: "b"), .data(data, name: "c", contentType: "image/png"),
            .data(data, name: "d", filename: "d.png"), .data(data, name: "e", filename: "e", contentType: "text/x-e"),
            .stream([data].async, name: "f", filename: "f.pdf", length: 1),
        ])
        #expect(
            form.parts.map(\.headers) == [
                [#"Content-Disposition: form-data; name="a""#],
                [#"Content-Disposition: form-data; name="b""#, "Content-Type: application/octet-stream"],
                [#"Content-Disposition: form-data; name="c""#, "Content-Type: image/png"],
                [#"Content-Disposition: form-data; name="d"; filename="d.png""#, "Content-Type: image/png"],
                [#"Content-Disposition: form-data; name="e"; filename="e""#, "Content-Type: text/x-e"],
                [#"Content-Disposition: form-data; name="f"; filename="f.pdf""#, "Content-Type: application/pdf"],
            ])
        #expect(form.texts == Array(repeating: "x", count: 6))
    }

    @Test("the caller's Content-Type does not replace the one with the boundary", .defects("BN24"))
    func contentType() async throws {
        let route = Route(
            path: "/f", method: .post, headers: ["Content-Type": "multipart/form-data"],
            multipart: [.text("v", name: "k")])
        let request = try await Self.send(route) { TestAPI($0).with(\.additionalHeaders, ["content-type": "x/y"]) }
        #expect(try ParsedForm(request).texts == ["v"])
    }

    @Test(
        "names and file names are escaped", .defects("BN25", "BK8"), .faults(17),
        arguments: Engine.wire,
        [
            (#"a"b"#, "a%22b", "a%22b"), ("a\r\nX: y", "a%0D%0AX: y", "a%0D%0AX: y"),
            ("a\nb", "a%0D%0Ab", "a%0Ab"), ("é\\;=", "é\\;=", "é\\;="), ("%22", "%22", "%22"),
        ])
    func names(engine: Engine, part: (name: String, escaped: String, filename: String)) async throws {
        let form = try await Self.send(
            [.data(Data("v".utf8), name: part.name, filename: part.name), .text("w", name: part.name)], over: engine)
        #expect(
            form.dispositions == [
                #"name="\#(part.escaped)"; filename="\#(part.filename)""#, #"name="\#(part.escaped)""#,
            ])
        #expect(form.texts == ["v", "w"])
    }

    @Test("the type of a part cannot contain a line break", .defects("BN25"), .faults(17))
    func types() async throws {
        let server = try LoopbackServer.accepting()
        let form: [MultipartPart] = [.data(Data(), name: "a", contentType: "text/plain\r\nX: y")]
        await #expect(throws: HTTPError(.invalidHeader("Content-Type"))) {
            try await TestAPI(server).request(Route(path: "/f", method: .post, multipart: form)).void()
        }
        #expect(server.connectionCount == 0)
    }

    @Test("content that looks like a boundary is kept", .faults(18), arguments: Engine.wire)
    func lookalikes(engine: Engine) async throws {
        let used = try await Self.send([.text("v", name: "k")], over: engine).boundary
        let contents = [
            "\r\n--\(used)\r\n", "--\(used)--\r\n", "\r\n--Boundary-\r\n\r\n--", "\r\n", "\n--", "",
        ].map { Data($0.utf8) }
        let form = try await Self.send(contents.map { .data($0, name: "k", filename: "f") }, over: engine)
        #expect(form.parts.map(\.body) == contents)
        #expect(form.boundary != used)
    }

    @Test(
        "parts from memory, files and streams form one body, with a length if all parts have one",
        .behaviors(54))
    func mixed() async throws {
        let folder = try TemporaryFolder()
        let (file, stream) = (Data.noise(200_000), Data.noise(70_000))
        let url = try folder.write(file, to: "f.bin")
        for length in [Int64(stream.count), nil] {
            let request = try await Self.send(
                Route(
                    path: "/f", method: .post,
                    multipart: [
                        .text("first", name: "a"), .file(url, name: "b", filename: "other.txt"),
                        .stream([stream].async, name: "c", filename: "c", length: length), .data(file, name: "d"),
                    ]))
            let form = try ParsedForm(request)
            let isWhole = form.parts.map(\.body) == [Data("first".utf8), file, stream, file]
            #expect(isWhole)
            #expect(form.parts[1].contentType == "text/plain")
            #expect(request.headers["Content-Length"] == (length == nil ? nil : "\(request.body.count)"))
        }
    }
}
