import Foundation
import HalyardAsync
import HalyardHTTP
@testable import HalyardSigning
import HalyardTesting
import Testing

/// HTTP Message Signatures (RFC 9421).
struct MessageSignatureTests {
    private static let secret =
        Data(
            base64Encoded: "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==")
        ?? Data()
    private static let key = MessageSignatureKey.hmacSHA256(secret, id: "test-shared-secret")
    private static let date = Date(timeIntervalSince1970: 1_618_884_473)

    /// The request of appendix B.2.
    private func request() throws -> HTTPRequest {
        var request = try HTTPRequest(
            .post, URL(string: "https://example.com/foo?param=Value&Pet=dog") ?? URL(filePath: "/"),
            body: HTTPBody(Data(#"{"hello": "world"}"#.utf8)))
        request.headers["Date"] = "Tue, 20 Apr 2021 02:07:55 GMT"
        request.headers["Content-Type"] = "application/json"
        return request
    }

    private func base(
        _ components: [StructuredItem], _ request: HTTPRequest, _ parameters: StructuredParameters = [:]
    ) throws -> [String] {
        let text = try SignatureBase(message: .request(request)).text(components, parameters)
        return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("the signature of the standard's example (appendix B.2.5)")
    func example() async throws {
        var parameters: StructuredParameters = ["created": 1_618_884_473]
        parameters["keyid"] = "test-shared-secret"
        let lines = try base(["date", "@authority", "content-type"], request(), parameters)
        #expect(
            lines == [
                #""date": Tue, 20 Apr 2021 02:07:55 GMT"#, #""@authority": example.com"#,
                #""content-type": application/json"#,
                #""@signature-params": ("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#,
            ])
        let code = HMACSHA256.code(for: Data(lines.joined(separator: "\n").utf8), key: Self.secret)
        #expect(code.base64EncodedString() == "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=")
        var signed = try request()
        signed.headers["Signature-Input"] =
            #"sig-b25=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        signed.headers["Signature"] = "sig-b25=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:"
        try await Self.key.verify(signed, covering: ["date", "@authority"], now: Self.date + 1)
    }

    @Test("the digest of the standard's example (RFC 9530 appendix D)")
    func digest() async throws {
        var request = try request()
        try await request.setContentDigest()
        #expect(request.headers["Content-Digest"] == "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:")
    }

    @Test("parts of the request (section 2.2)")
    func derived() throws {
        var request = try request()
        #expect(
            try base(
                ["@method", "@target-uri", "@authority", "@scheme", "@request-target", "@path", "@query"], request
            ).dropLast() == [
                #""@method": POST"#, #""@target-uri": https://example.com/foo?param=Value&Pet=dog"#,
                #""@authority": example.com"#, #""@scheme": https"#,
                #""@request-target": /foo?param=Value&Pet=dog"#, #""@path": /foo"#, #""@query": ?param=Value&Pet=dog"#,
            ])
        try request.setURL(URL(string: "HTTP://Example.com:80?#f") ?? URL(filePath: "/"))
        #expect(
            try base(["@authority", "@path", "@query", "@request-target"], request).dropLast() == [
                #""@authority": example.com"#, #""@path": /"#, #""@query": ?"#, #""@request-target": /?"#,
            ])
        // What the server cannot see is not signed.
        for (text, host, target) in [
            ("https://Example.com:443", nil, "https://example.com/"),
            ("https://example.com:8443/a", nil, "https://example.com:8443/a"),
            ("https://127.0.0.1/a?b", "Files.example.com:443", "https://files.example.com/a?b"),
        ] {
            try request.setURL(URL(string: text) ?? URL(filePath: "/"))
            request.headers["Host"] = host
            #expect(try base(["@target-uri"], request)[0] == "\"@target-uri\": \(target)")
        }
    }

    @Test(arguments: [
        ("var", "this%20is%20a%20big%0Amultiline%20value"), ("bar", "with%20plus%20whitespace"),
        ("fa%C3%A7ade%22%3A%20", "something"), ("empty", ""), ("none", ""),
    ])
    func `parameters of the query are decoded and encoded anew`(name: String, value: String) throws {
        var request = try request()
        let query =
            "var=this%20is%20a%20big%0Amultiline%20value&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something&empty=&none&d=1&d=2"
        try request.setURL(URL(string: "https://www.example.com/parameters?\(query)") ?? URL(filePath: "/"))
        let component = StructuredItem("@query-param", ["name": .string(name)])
        #expect(try base([component], request)[0] == "\"@query-param\";name=\"\(name)\": \(value)")
        #expect(throws: MessageSignatureError.self) {
            try base([StructuredItem("@query-param", ["name": "d"])], request)
        }
        #expect(throws: MessageSignatureError.self) {
            try base([StructuredItem("@query-param", ["name": "x"])], request)
        }
    }

    @Test("headers in all their forms (section 2.1)")
    func fields() throws {
        var request = try request()
        for value in ["max-age=60", "  must-revalidate\t"] { try request.headers.append(value, for: "Cache-Control") }
        request.headers["X-Dict"] = "a=1,   b=2;x=1;y=2, c=(a   b    c), d"
        request.headers["X-Empty"] = ""
        let item = { (name: String, parameters: StructuredParameters) in StructuredItem(.string(name), parameters) }
        #expect(
            try base(
                [
                    "cache-control", item("cache-control", ["bs": true]), item("x-dict", ["sf": true]),
                    item("x-dict", ["key": "b"]), item("x-dict", ["key": "c"]), item("x-dict", ["key": "d"]), "x-empty",
                ], request
            ).dropLast() == [
                #""cache-control": max-age=60, must-revalidate"#,
                #""cache-control";bs: :bWF4LWFnZT02MA==:, :bXVzdC1yZXZhbGlkYXRl:"#,
                #""x-dict";sf: a=1, b=2;x=1;y=2, c=(a b c), d"#, #""x-dict";key="b": 2;x=1;y=2"#,
                #""x-dict";key="c": (a b c)"#, #""x-dict";key="d": ?1"#, #""x-empty": "#,
            ])
    }

    @Test(
        arguments: [
            "x-missing", "@status", "Date", "@unknown", "", StructuredItem("date", ["tr": true]),
            StructuredItem("date", ["key": "a"]), StructuredItem("@method", ["sf": true]),
            StructuredItem("date", ["req": true]),
            StructuredItem(.token("date")), StructuredItem("date", ["x": 1]),
        ] as [StructuredItem])
    func `a component that the message does not have is an error`(component: StructuredItem) throws {
        var request = try request()
        #expect(throws: MessageSignatureError.self) { try base([component], request) }
        request.headers["X-Text"] = "ä"
        for cookie in ["a=1", "b=2"] { try request.headers.append(cookie, for: "Set-Cookie") }
        #expect(throws: MessageSignatureError.unknownComponent("x-text")) { try base(["x-text"], request) }
        #expect(throws: MessageSignatureError.unknownComponent("set-cookie")) { try base(["set-cookie"], request) }
        #expect(try base([StructuredItem("set-cookie", ["bs": true])], request)[0].hasSuffix(": :YT0x:, :Yj0y:"))
        #expect(throws: MessageSignatureError.unknownComponent("date")) { try base(["date", "date"], request) }
        request.headers["X-Bad"] = "a=("
        for parameters in [["sf": true], ["key": "a"], ["bs": false], ["key": .token("a")]] as [StructuredParameters] {
            #expect(throws: MessageSignatureError.self) { try base([StructuredItem("x-bad", parameters)], request) }
        }
    }

    @Test("a request of a provider is signed as it is sent, and its server can check it")
    func wire() async throws {
        struct Payments: HTTPProvider {
            let baseURL: URL
            let authentication: Authentication
        }
        let server = try LoopbackServer().on(.post, "/pay", .status(204))
        let payments = Payments(
            baseURL: server.baseURL,
            authentication: Authentication(MessageSignature(Self.key), allowsHTTP: true))
        try await payments.request(Route(path: "/pay", method: .post, params: ["to": "x y"])).void()
        let received = try #require(server.requests.first)
        var request = try HTTPRequest(.post, server.baseURL.appending(path: "pay"), body: HTTPBody(received.body))
        request.headers = received.headers
        try await Self.key.verify(request, covering: ["@method", "@target-uri", "content-digest"])
    }

    @Test("the signature covers the body, the method and the URL, and nothing can be changed")
    func authenticator() async throws {
        let signature = MessageSignature(
            Self.key, covering: MessageSignature.standardComponents + ["content-type"], label: "own", tag: "app",
            lifetime: .seconds(60)
        ) { Self.date }
        var signed = try request()
        signed.headers["Signature-Input"] = "proxy=();created=1"
        signed.headers["Signature"] = "proxy=:AAAA:"
        try await signature.authenticate(&signed)
        // It is signed anew when it is sent again.
        try await signature.authenticate(&signed)
        #expect(
            signed.headers["Signature-Input"]
                == #"proxy=();created=1, own=("@method" "@target-uri" "content-digest" "content-type");created=1618884473;expires=1618884533;keyid="test-shared-secret";alg="hmac-sha256";tag="app""#
        )
        let required: [StructuredItem] = ["@method", "content-digest"]
        func check(_ change: (inout HTTPRequest) throws -> Void) async throws -> MessageSignatureError? {
            var changed = signed
            try change(&changed)
            do { try await Self.key.verify(changed, covering: required, now: Self.date) } catch let error
                as MessageSignatureError
            { return error }
            return nil
        }
        #expect(try await check { _ in } == nil)
        #expect(try await check { $0.method = .put } == .invalid)
        #expect(
            try await check { try $0.setURL(URL(string: "https://example.com/foo") ?? URL(filePath: "/")) } == .invalid)
        #expect(try await check { $0.headers["Content-Type"] = "text/plain" } == .invalid)
        #expect(try await check { $0.headers["Content-Type"] = nil } == .unknownComponent("content-type"))
        #expect(try await check { $0.body = HTTPBody(Data("x".utf8)) } == .bodyDiffers)
        #expect(try await check { $0.headers["Content-Digest"] = "sha-256=:AAAA:" } == .invalid)
        #expect(try await check { $0.headers["Signature"] = nil } == .missing)
        #expect(try await check { $0.headers["Signature"] = "own=:AAAA:" } == .invalid)
        #expect(try await check { $0.headers["Signature-Input"] = "own=(" } == .missing)
    }

    @Test("a request without a body has no digest, and one that is read once is refused before it is sent")
    func bodies() async throws {
        let signature = MessageSignature(Self.key)
        var empty = try HTTPRequest(.get, URL(string: "https://example.com") ?? URL(filePath: "/"))
        try await signature.authenticate(&empty)
        #expect(empty.headers["Signature-Input"]?.contains("digest") == false)
        var stream = try request()
        stream.body = HTTPBody(stream: AsyncStream<Data> { $0.finish() })
        await #expect(throws: HTTPError(.encoding("the body"))) { try await signature.authenticate(&stream) }
        let missing = MessageSignature(Self.key, covering: ["x-missing"])
        await #expect(throws: MessageSignatureError.unknownComponent("x-missing")) {
            try await missing.authenticate(&empty)
        }
    }

    @Test("a key of another library signs, and another one checks")
    func otherKeys() async throws {
        let signer = MessageSignatureKey(id: "k", algorithm: "test") { Data($0.reversed()) }
        let checker = MessageSignatureKey(id: "k", algorithm: "test") { $0 == Data($1.reversed()) }
        var signed = try request()
        try await MessageSignature(signer).authenticate(&signed)
        try await checker.verify(signed, covering: ["@method"])
        await #expect(throws: MessageSignatureError.wrongKey) { try await signer.verify(signed, covering: []) }
        await #expect(throws: MessageSignatureError.wrongKey) {
            try await MessageSignature(checker).authenticate(&signed)
        }
        let other = MessageSignatureKey(id: "k", algorithm: "other") { _, _ in true }
        await #expect(throws: MessageSignatureError.wrongKey) { try await other.verify(signed, covering: []) }
        let unnamed = MessageSignatureKey(id: "x") { _, _ in true }
        await #expect(throws: MessageSignatureError.missing) { try await unnamed.verify(signed, covering: []) }
        await #expect(throws: MessageSignatureError.notCovered("date")) {
            try await checker.verify(signed, covering: ["date"])
        }
    }

    @Test("a signature is valid for a while")
    func time() async throws {
        var signed = try request()
        try await MessageSignature(Self.key, lifetime: .seconds(60)) { Self.date }.authenticate(&signed)
        for (seconds, isValid) in [(0.0, true), (59, true), (60, false), (-30, true), (-31, false)] {
            let now = Self.date + seconds
            do {
                try await Self.key.verify(signed, covering: [], now: now)
                #expect(isValid)
            } catch { #expect(error as? MessageSignatureError == .expired && !isValid) }
        }
        try await MessageSignature(Self.key) { Self.date }.authenticate(&signed)
        await #expect(throws: MessageSignatureError.expired) {
            try await Self.key.verify(signed, covering: [], now: Self.date + 301)
        }
        try await Self.key.verify(signed, covering: [], maximumAge: nil, now: Self.date + 301)
        signed.headers["Signature-Input"] = "sig1=();keyid=\"test-shared-secret\""
        await #expect(throws: MessageSignatureError.expired) { try await Self.key.verify(signed, covering: []) }
    }

    @Test("a response is checked with its request and its body")
    func responses() async throws {
        let request = try request()
        var response = HTTPResponse(status: 200, url: request.url)
        response.data = Data(#"{"hello": "world"}"#.utf8)
        response.headers["Content-Digest"] = "sha-512=:AAAA:, sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
        let components: [StructuredItem] = ["@status", "content-digest", StructuredItem("@method", ["req": true])]
        let base = SignatureBase(message: .response(response, to: request))
        let code = HMACSHA256.code(for: try base.text(components, ["created": 7]), key: Self.secret)
        response.headers["Signature-Input"] = try
            (["sig1": .innerList(components, ["created": 7])] as StructuredDictionary)
            .fieldValue()
        response.headers["Signature"] = "sig1=:\(code.base64EncodedString()):"
        let key = MessageSignatureKey.hmacSHA256(Self.secret)
        let now = Date(timeIntervalSince1970: 8)
        try await key.verify(response, to: request, covering: ["@status"], now: now)
        await #expect(throws: MessageSignatureError.unknownComponent(#""@method";req"#)) {
            try await key.verify(response, covering: [], now: now)
        }
        response.data = Data()
        await #expect(throws: MessageSignatureError.bodyDiffers) {
            try await key.verify(response, to: request, covering: [], now: now)
        }
        response.status = 201
        await #expect(throws: MessageSignatureError.invalid) {
            try await key.verify(response, to: request, covering: [], now: now)
        }
    }

    /// A response with a body and a signature of these components.
    private func response(
        _ status: Int, _ headers: HTTPHeaders, covering components: [StructuredItem]
    ) throws -> HTTPResponse {
        var response = HTTPResponse(status: status, headers: headers, url: URL(filePath: "/"))
        response.data = Data(#"{"hello": "world"}"#.utf8)
        let base = try SignatureBase(message: .response(response, to: nil)).text(components, ["created": 7])
        response.headers["Signature-Input"] = try
            (["s": .innerList(components, ["created": 7])] as StructuredDictionary)
            .fieldValue()
        response.headers["Signature"] = "s=:\(HMACSHA256.code(for: base, key: Self.secret).base64EncodedString()):"
        return response
    }

    private func verify(_ response: HTTPResponse) async throws {
        try await MessageSignatureKey.hmacSHA256(Self.secret)
            .verify(response, covering: [], now: Date(timeIntervalSince1970: 8))
    }

    private static let right = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"

    @Test(
        "a digest that is covered in any form is compared with the body",
        arguments: [[:], ["sf": true], ["bs": true], ["key": "sha-256"]] as [StructuredParameters])
    func coveredDigests(parameters: StructuredParameters) async throws {
        for name in ["content-digest", "repr-digest"] {
            let component = StructuredItem(.string(name), parameters)
            var response = try response(200, [name: Self.right], covering: [component])
            try await verify(response)
            response.data.append(0)
            await #expect(throws: MessageSignatureError.bodyDiffers) { try await verify(response) }
        }
    }

    @Test("a digest that is not covered does not replace one that is")
    func uncoveredDigest() async throws {
        var other = try response(200, ["Content-Digest": "sha-512=:AAAA:"], covering: ["content-digest"])
        other.headers["Repr-Digest"] = Self.right
        await #expect(throws: MessageSignatureError.unknownDigest) { try await verify(other) }
        let key = StructuredItem("content-digest", ["key": "sha-512"])
        let both = try response(200, ["Content-Digest": "sha-512=:AAAA:, \(Self.right)"], covering: [key])
        await #expect(throws: MessageSignatureError.unknownDigest) { try await verify(both) }
        let headers: HTTPHeaders = ["Content-Digest": Self.right, "Repr-Digest": "sha-256=:AAAA:"]
        await #expect(throws: MessageSignatureError.unknownDigest) {
            try await verify(try response(206, headers, covering: ["repr-digest"]))
        }
        try await verify(try response(206, headers, covering: ["repr-digest", "content-digest"]))
        await #expect(throws: MessageSignatureError.bodyDiffers) {
            try await verify(try response(200, headers, covering: ["repr-digest", "content-digest"]))
        }
    }

    @Test("a request without a body needs no digest, and cannot get a body")
    func noBody() async throws {
        var signed = try HTTPRequest(.delete, URL(string: "https://example.com/a") ?? URL(filePath: "/"))
        try await MessageSignature(Self.key).authenticate(&signed)
        try await Self.key.verify(signed, covering: MessageSignature.standardComponents)
        signed.body = HTTPBody(Data("x".utf8))
        await #expect(throws: MessageSignatureError.notCovered("content-digest")) {
            try await Self.key.verify(signed, covering: MessageSignature.standardComponents)
        }
    }

    @Test("a signature of somebody else does not hide another one, and its parameters are returned")
    func severalSignatures() async throws {
        var signed = try request()
        for label in ["a", "b"] {
            let key = MessageSignatureKey.hmacSHA256(label == "a" ? Data("other".utf8) : Self.secret, id: "k")
            try await MessageSignature(key, label: label, tag: label).authenticate(&signed)
        }
        for id in [nil, "k"] {
            let key = MessageSignatureKey.hmacSHA256(Self.secret, id: id)
            let parameters = try await key.verify(signed, covering: ["@method"])
            #expect(parameters["tag"] == "b" && parameters["keyid"] == "k")
            await #expect(throws: MessageSignatureError.invalid) {
                try await key.verify(signed, label: "a", covering: ["@method"])
            }
        }
    }

    @Test("the order of a component's parameters does not matter, and more components than anybody signs are refused")
    func identity() async throws {
        let one = StructuredItem("@method", ["req": true, "x": 1]),
            other = StructuredItem("@method", ["x": 1, "req": true])
        #expect(one != other && one.identity == other.identity)
        var signed = try request()
        let names = (0..<65).map { "x-\($0)" }
        for name in names { signed.headers[name] = "1" }
        let components = names.map { StructuredItem(.string($0)) }
        try await MessageSignature(Self.key, covering: Array(components.dropLast())).authenticate(&signed)
        try await Self.key.verify(signed, covering: [])
        try await MessageSignature(Self.key, covering: components).authenticate(&signed)
        await #expect(throws: MessageSignatureError.missing) { try await Self.key.verify(signed, covering: []) }
    }

    @Test("a stream with a digest of its own is signed, and no lifetime stops the process")
    func ownDigest() async throws {
        var stream = try request()
        stream.body = HTTPBody(stream: AsyncStream<Data> { $0.finish() })
        stream.headers["Content-Digest"] = Self.right
        for lifetime in [Duration.seconds(Int64.max), .milliseconds(1), .seconds(-5)] {
            try await MessageSignature(Self.key, lifetime: lifetime) { .distantFuture }.authenticate(&stream)
            try await MessageSignature(Self.key, lifetime: lifetime) { Date(timeIntervalSince1970: .nan) }
                .authenticate(&stream)
        }
        #expect(stream.headers["Content-Digest"] == Self.right)
    }

    @Test("the digest of a response is checked if it has one for its body")
    func digests() throws {
        var response = HTTPResponse(status: 200, url: URL(filePath: "/"))
        response.data = Data(#"{"hello": "world"}"#.utf8)
        let right = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
        #expect(try !response.checkDigest())
        response.headers["Content-Digest"] = "sha-512=:AAAA:"
        #expect(try !response.checkDigest())
        response.headers["Content-Digest"] = right
        #expect(try response.checkDigest())
        response.headers["Repr-Digest"] = "sha-256=:AAAA:"
        #expect(throws: MessageSignatureError.bodyDiffers) { try response.checkDigest() }
        response.status = 206
        #expect(try response.checkDigest())
        response.headers["Content-Digest"] = "sha-256"
        #expect(try !response.checkDigest())
        response.headers["Content-Digest"] = "sha-256=("
        #expect(throws: HTTPError.self) { try response.checkDigest() }
    }

    @Test("keys do not show their secret")
    func descriptions() {
        let secret = Data("a very secret text".utf8)
        let key = MessageSignatureKey.hmacSHA256(secret, id: "k")
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "a key for signatures with the ID k" && !dumped.contains("secret text"))
    }
}
