import ContractEngines
import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// Values that are too deep, are no numbers, or have more digits than most: refused, or exact there and back.
struct ValueFaultTests {
    @Test(
        "parameters nested 10 000 levels deep fail", .faults(15),
        arguments: Engine.wire, [nil, ParameterEncoding.form, .url, .multipart])
    func nesting(engine: Engine, encoding: ParameterEncoding?) async throws {
        let depth = 10_000
        let lists = (0..<depth).reduce(Parameters()) { inner, _ in ["a": inner] }
        let error = try await RequestFaultTests.refusal(engine) { api in
            try await api.request(Route(path: "/", method: .post, params: ["deep": lists], encoding: encoding)).void()
        }
        #expect(error.reason?.contains("511") == true)
    }

    @Test(
        "JSON nested 10 000 levels deep fails, even if it is only known as an Encodable", .faults(15),
        arguments: Engine.wire)
    func deepBodies(engine: Engine) async throws {
        let json = (0..<10_000).reduce(JSON.null) { inner, _ in .array([inner]) }
        let value: any Encodable & Sendable = json
        let bodies: [RouteBody] = [.json(json), .json(value), .value(json)]
        for body in bodies {
            let error = try await RequestFaultTests.refusal(engine) {
                try await $0.request(Route(path: "/me", method: .post, body: body)).void()
            }
            #expect(error == HTTPError(.encoding("the body")))
        }
    }

    private final class Chain: Encodable, Sendable {
        let next: Chain?
        init(_ next: Chain?) { self.next = next }
    }

    @Test("a custom value nested 10 000 levels deep fails", .faults(15), arguments: Engine.wire)
    func deepValues(engine: Engine) async throws {
        let chain = (0..<10_000).reduce(Chain(nil)) { inner, _ in Chain(inner) }
        for body in [RouteBody.json(chain), .value(chain), .json(["a": [chain]])] {
            let error = try await RequestFaultTests.refusal(engine) {
                try await $0.request(Route(path: "/me", method: .post, body: body)).void()
            }
            #expect(error == HTTPError(.encoding("the body")))
            #expect(error.reason?.hasSuffix("it is nested more than 511 levels deep") == true)
        }
    }

    @Test(
        "NaN and infinity fail in every encoding, in params and in objects", .faults(16),
        arguments: Engine.wire,
        [Double.nan, .infinity, -.infinity])
    func noNumbers(engine: Engine, value: Double) async throws {
        for encoding in [ParameterEncoding.json, .form, .url, .multipart] {
            let route = Route(path: "/me", method: .post, params: ["ratio": value], encoding: encoding)
            let error = try await RequestFaultTests.refusal(engine) { try await $0.request(route).void() }
            #expect(error == HTTPError(.encoding("ratio")))
        }
        let route = Route(path: "/me", method: .post, body: .json(["ratio": value]))
        let error = try await RequestFaultTests.refusal(engine) { try await $0.request(route).void() }
        #expect(error == HTTPError(.encoding("the body")))
    }

    @Test("extreme numbers are sent and received exactly", .faults(16), arguments: Engine.wire)
    func numbers(engine: Engine) async throws {
        let server = try LoopbackServer().on(.post, "/api/echo") { .data($0.body, contentType: "application/json") }
        let decimal = try #require(Decimal(string: "12345678901234567890123456789012345678"))
        let small = try #require(Decimal(string: "0.00000000000000000000000000000000000001"))
        let params: Parameters = [
            "min": Int64.min, "max": Int64.max, "umax": UInt64.max, "tenth": 0.1, "decimal": decimal, "small": small,
        ]
        let json = try await TestAPI(server, over: engine).request(Route(path: "/echo", method: .post, params: params))
            .json()
        #expect(json["min"].number?.int64 == .min)
        #expect(json["max"].number?.int64 == .max)
        #expect(json["umax"].number?.uint64 == .max)
        #expect(json["tenth"].double == 0.1)
        #expect(json["decimal"].decimal == decimal)
        #expect(json["small"].decimal == small)
        #expect(try server.request.text.hasPrefix(#"{"min":-9223372036854775808,"max":9223372036854775807,"#))
        #expect(try server.request.text.contains(#""tenth":0.1,"decimal":12345678901234567890123456789012345678,"#))
    }
}
