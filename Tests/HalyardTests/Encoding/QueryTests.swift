import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Parameters in the query, and their text there.
struct QueryTests {
    @Test(
        "a leading slash does not drop the path of the base URL", .behaviors(3), .defects("BK9"),
        arguments: [
            ("", "/math/sum", "/math/sum"), ("/httprpc-test-1.0/", "test", "/httprpc-test-1.0/test"),
            ("/httprpc-test-1.0", "/test", "/httprpc-test-1.0/test"),
        ])
    func base(base: String, path: String, target: String) async throws {
        let server = try LoopbackServer.accepting()
        try await TestAPI(server, base).request(Route(path: RoutePath(verbatim: path))).void()
        #expect(try server.request.target == target)
    }

    @Test("a query in the path and parameters are joined into one query", .defects("BK9", "BK18"))
    func oneQuestionMark() async throws {
        let server = try LoopbackServer.accepting()
        let api = TestAPI(server, "/api?key=1").with(\.additionalParams, ["token": "t"])
        try await api.request(Route(path: "items?x=1", params: ["y": 2])).void()
        #expect(try server.request.target == "/api/items?key=1&x=1&y=2&token=t")
    }

    @Test(
        "names and values arrive unchanged, in a query and a form", .behaviors(24, 25),
        .defects("BN1", "BN2", "BK10", "BK17"))
    func percentEncoding() async throws {
        let server = try LoopbackServer.accepting()
        let pairs = [
            ("q", "héllo&gøod+bye?"), ("a+b", "a+b"), ("per cent", "100 %"), ("=", "a=b"), ("x&admin", "x&admin=1"),
            ("rest", "#;/?:@!$'()*,[]<>\"\\^`{|}~-._"), ("%20", "%20"), ("naïve", "日本 🚀"), ("line", "a\r\nb\u{0}"),
        ]
        var params = Parameters()
        for (name, value) in pairs { params.append(value, for: name) }
        try await TestAPI(server, "").request(Route(path: "/q", params: params)).void()
        try await TestAPI(server, "").request(Route(path: "/f", method: .post, params: params, encoding: .form)).void()

        let expected = """
            q=h%C3%A9llo%26g%C3%B8od%2Bbye%3F&a%2Bb=a%2Bb&per%20cent=100%20%25&%3D=a%3Db&x%26admin=x%26admin%3D1\
            &rest=%23%3B%2F%3F%3A%40%21%24%27%28%29%2A%2C%5B%5D%3C%3E%22%5C%5E%60%7B%7C%7D~-._&%2520=%2520\
            &na%C3%AFve=%E6%97%A5%E6%9C%AC%20%F0%9F%9A%80&line=a%0D%0Ab%00
            """
        #expect(server.requests[0].target == "/q?" + expected)
        #expect(server.requests[1].text == expected)
        // A server decodes the query to the same values.
        let decoded = server.requests[0].queryItems
        #expect(decoded.map(\.name) == pairs.map(\.0))
        #expect(decoded.map(\.value) == pairs.map(\.1))
    }

    @Test(
        "a date is rounded to whole milliseconds", .behaviors(26), .defects("BK7"),
        arguments: [(1.0, "1000"), (1.005, "1005"), (0, "0"), (-1.0006, "-1001"), (1_700_000_000.123, "1700000000123")])
    func dates(seconds: Double, text: String) async throws {
        let server = try LoopbackServer.accepting()
        let date = Date(timeIntervalSince1970: seconds)
        let api = TestAPI(server)
        let params: Parameters = ["d": date, "list": [date, date]]
        try await api.request(Route(path: "/me", params: params)).void()
        try await api.request(Route(path: "/me", method: .post, params: params)).void()
        #expect(server.requests[0].query == "d=\(text)&list=\(text)&list=\(text)")
        #expect(server.requests[1].text == #"{"d":\#(text),"list":[\#(text),\#(text)]}"#)
    }

    @Test("every whole millisecond of many years arrives unchanged", .behaviors(26), .defects("BK7"))
    func milliseconds() async throws {
        let server = try LoopbackServer.accepting()
        let instants = (0..<3000).map { Int64($0) * 1_234_567_891 - 500_000_000_000 }
        let dates = instants.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        try await TestAPI(server).request(Route(path: "/me", method: .post, params: ["d": dates])).void()
        #expect(try server.request.text == #"{"d":["# + instants.map(String.init).joined(separator: ",") + "]}")
    }

    @Test(
        "a date that milliseconds cannot represent fails, and the error is delivered", .behaviors(26),
        .defects("BN28", "BK7"),
        arguments: [ParameterEncoding.url, .form, .json, .multipart])
    func endlessDates(encoding: ParameterEncoding) async throws {
        let server = try LoopbackServer.accepting()
        for seconds in [Double.nan, .infinity, 1e300] {
            let params: Parameters = ["when": Date(timeIntervalSince1970: seconds)]
            await #expect(throws: HTTPError(.encoding("when"))) {
                try await TestAPI(server).request(Route(path: "/", params: params, encoding: encoding)).void()
            }
        }
        #expect(server.connectionCount == 0)
    }

    @Test("a list repeats its name in order, and an empty list is omitted", .behaviors(27), .defects("BN3"))
    func lists() async throws {
        let server = try LoopbackServer.accepting()
        let params: Parameters = ["strings": ["a", "b", "c"], "values": [1, 2, 3, 4], "none": [] as [String]]
        let api = TestAPI(server)
        try await api.request(Route(path: "/q", params: params)).void()
        try await api.request(Route(path: "/f", method: .post, params: params, encoding: .form)).void()
        let expected = "strings=a&strings=b&strings=c&values=1&values=2&values=3&values=4"
        #expect(server.requests[0].query == expected)
        #expect(server.requests[1].text == expected)

        try await api.request(Route(path: "/q", params: ["none": [] as [String]])).void()
        #expect(server.requests[2].target == "/api/q")
    }

    @Test(
        "other list styles are available", .behaviors(27),
        arguments: [
            (ParameterEncoding.ArrayStyle.repeated, "t=a%2Cb&t=c"), (.brackets, "t%5B%5D=a%2Cb&t%5B%5D=c"),
            (.indexed, "t%5B0%5D=a%2Cb&t%5B1%5D=c"), (.commas, "t=a%2Cb,c"),
        ])
    func arrayStyles(style: ParameterEncoding.ArrayStyle, expected: String) async throws {
        let server = try LoopbackServer.accepting()
        let (params, api): (Parameters, TestAPI) = (["t": ["a,b", "c"]], TestAPI(server))
        try await api.request(Route(path: "/q", params: params, encoding: .url(arrays: style))).void()
        let form = Route(path: "/f", method: .post, params: params, encoding: .form(arrays: style))
        try await api.request(form).void()
        // With a body of the route, the query has the same style.
        let both = Route(
            path: "/b", method: .post, params: params, encoding: .url(arrays: style), body: .text("body"))
        try await api.request(both).void()
        #expect(server.requests[0].query == expected)
        #expect(server.requests[1].text == expected)
        #expect(server.requests[2].query == expected)
    }

    @Test(
        "nil is omitted, even in lists, and optionals are never written as descriptions", .behaviors(28),
        .defects("BK6", "BN3"))
    func missing() async throws {
        let server = try LoopbackServer.accepting()
        let (absent, present): (Int?, Int?) = (nil, 3)
        let params: Parameters = [
            "gone": absent, "here": present, "u": [1, nil, 2] as [Int?], "all": [nil, nil] as [String?],
            "nested": ["a": absent, "b": present],
        ]
        let api = TestAPI(server)
        try await api.request(Route(path: "/q", params: params)).void()
        try await api.request(Route(path: "/f", method: .post, params: params, encoding: .form)).void()
        try await api.request(Route(path: "/j", method: .post, params: params)).void()
        #expect(server.requests[0].query == "here=3&u=1&u=2&nested%5Bb%5D=3")
        #expect(server.requests[1].text == "here=3&u=1&u=2&nested%5Bb%5D=3")
        #expect(server.requests[2].text == #"{"here":3,"u":[1,2],"all":[],"nested":{"b":3}}"#)
    }

    @Test(
        "an empty name is omitted and an empty string is kept, in every encoding", .behaviors(29),
        arguments: [
            (ParameterEncoding.url, "s=&n=1"), (.form, "s=&n=1"), (.json, #"{"s":"","n":1}"#),
        ])
    func emptiness(encoding: ParameterEncoding, expected: String) async throws {
        let server = try LoopbackServer.accepting()
        let params: Parameters = ["": "nameless", "s": "", "n": 1]
        try await TestAPI(server).request(Route(path: "/", method: .post, params: params, encoding: encoding)).void()
        let request = try server.request
        #expect((request.query ?? request.text) == expected)
    }

    @Test("booleans, numbers, enumerations, UUIDs, decimals and URLs each have one text form", .behaviors(30, 31, 32))
    func written() async throws {
        enum Sort: String, ParameterConvertible { case newest }
        enum Level: Int, ParameterConvertible { case high = 3 }
        let server = try LoopbackServer.accepting()
        let params: Parameters = [
            "yes": true, "no": false, "n": 123, "x": 1.5, "f": Float(0.1), "u8": UInt8(255), "min": Int64.min,
            "sort": Sort.newest, "level": Level.high,
            "uuid": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"), "price": Decimal(string: "1234.50"),
            "u": URL(string: "https://example.com/a?b=c&d#e"), "part": "substring".dropFirst(3),
        ]
        try await TestAPI(server).request(Route(path: "/q", params: params)).void()
        let request = try server.request
        #expect(
            request.query == """
                yes=true&no=false&n=123&x=1.5&f=0.1&u8=255&min=-9223372036854775808&sort=newest&level=3\
                &uuid=E621E1F8-C36C-495A-93FC-0C247A3E6E5F&price=1234.5\
                &u=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d%23e&part=string
                """)
        #expect(request.queryItems.first { $0.name == "u" }?.value == "https://example.com/a?b=c&d#e")
    }

    @Test("parameters keep their order, and a plain dictionary is sorted by name", .defects("BK15"), arguments: 0..<4)
    func order(run: Int) async throws {
        let server = try LoopbackServer.accepting()
        let names = (0..<26).map { "n\($0)" }
        let dictionary = Dictionary(uniqueKeysWithValues: names.shuffled().map { ($0, 1) })
        let api = TestAPI(server)
        try await api.request(Route(path: "/q", params: Parameters(dictionary))).void()
        try await api.request(Route(path: "/q", params: ["z": 1, "a": 2, "m": dictionary, "z": 3])).void()
        #expect(server.requests[0].query == names.sorted().map { "\($0)=1" }.joined(separator: "&"))
        let nested = names.sorted().map { "m%5B\($0)%5D=1" }.joined(separator: "&")
        #expect(server.requests[1].query == "z=1&a=2&\(nested)&z=3")
    }
}
