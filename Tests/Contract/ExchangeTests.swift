import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

extension Contract {
    /// Requests and responses.
    @Suite struct ExchangeTests {
        @Test(arguments: Engine.allCases) func `a GET returns its response`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/a/{b}", .text("hello", headers: ["X-A": "1"]))
            let response = try await fixture.send(.get, "/a/b?c=d%2Fe", headers: ["X-B": "2"])
            #expect(response.status == 200 && response.text == "hello" && response.headers["x-a"] == "1")
            #expect(fixture.peer.requests.map(\.target) == ["/a/b?c=d%2Fe"])
            #expect(fixture.peer.requests.first?.headers["X-B"] == "2")
        }

        @Test(arguments: Engine.allCases, [HTTPMethod.post, .put, .patch, .delete, .options])
        func `any method other than GET and HEAD can send a body`(engine: Engine, method: HTTPMethod) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(method, "/") { .text("\($0.method) \($0.text)") }
            #expect(try await fixture.send(method, body: HTTPBody(Data("body".utf8))).text == "\(method) body")
            #expect(try await fixture.send(method, body: HTTPBody(Data())).text == "\(method) ")
            #expect(try await fixture.send(method).text == "\(method) ")
        }

        @Test(arguments: Engine.allCases, [HTTPMethod.get, .head])
        func `a body with GET or HEAD is sent or refused`(engine: Engine, method: HTTPMethod) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(method, "/", .status(200))
            do {
                _ = try await fixture.send(method, body: HTTPBody(Data("body".utf8)))
                #expect(fixture.peer.requests.map(\.text) == ["body"])
            } catch let error as HTTPError {
                #expect(engine == .urlSession && error == HTTPError(.encoding("the body")))
                #expect(fixture.peer.requests.isEmpty)
            }
        }

        @Test(arguments: Engine.allCases)
        func `CR, LF and NUL in header names and values are refused`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .status(200))
            let wrong: [HTTPHeaders] = [
                ["X\r\nX-Evil": "1"], ["X-A": "a\r\nX-Evil: 1"], ["X-A": "a\u{0}b"], ["X A": "1"],
                ["Content-Length": "5"],
            ]
            for headers in wrong {
                let error = await failure { _ = try await fixture.send(headers: headers) }
                #expect(error != nil, "\(headers)")
            }
            #expect(fixture.peer.requests.isEmpty)
        }

        @Test(arguments: Engine.allCases) func `headers are sent unchanged`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .status(200))
            var headers: HTTPHeaders = ["X-A": "1", "X-Text": "é", "Cookie": "a=b"]
            try headers.append("2", for: "X-A")
            _ = try await fixture.send(headers: headers)
            let got = try #require(fixture.peer.requests.first).headers
            let parts = (got["X-A"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(parts == ["1", "2"] && got["X-Text"] == "é" && got["Cookie"] == "a=b")
        }

        @Test(arguments: Engine.allCases) func `a header with an empty value is sent`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .status(200))
            _ = try await fixture.send(headers: ["X-Empty": ""])
            #expect(fixture.peer.requests.first?.headers["X-Empty"] == "")
        }

        @Test(.faults(36), arguments: Engine.allCases) func `several Set-Cookie headers stay separate`(engine: Engine)
            async throws
        {
            let fixture = try Fixture(engine)
            var headers: HTTPHeaders = ["Set-Cookie": "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/"]
            try headers.append("b=2", for: "Set-Cookie")
            fixture.peer.on(.get, "/", .status(200, headers: headers))
            let response = try await fixture.send()
            #expect(response.headers.values(for: "Set-Cookie") == [headers[0].value, "b=2"])
        }

        @Test(arguments: Engine.allCases) func `the engine neither stores nor sends cookies of its own`(engine: Engine)
            async throws
        {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .status(200, headers: ["Set-Cookie": "a=1"]))
            for _ in 0..<2 { _ = try await fixture.send() }
            #expect(fixture.peer.requests.allSatisfy { !$0.headers.contains("Cookie") })
        }

        @Test(arguments: Engine.allCases) func `responses are not cached`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(
                .get, "/", .text("one", headers: ["Cache-Control": "max-age=100", "ETag": "\"1\""]), .text("two"))
            #expect(try await fixture.send().text == "one")
            #expect(try await fixture.send().text == "two")
        }

        @Test(arguments: Engine.allCases) func `redirects are not followed`(engine: Engine) async throws {
            let fixture = try Fixture(engine)
            for status in [301, 302, 303, 307, 308] {
                fixture.peer.on(.post, "/\(status)", .text("moved", status: status, headers: ["Location": "/b"]))
                let headers: HTTPHeaders = ["Authorization": "Bearer x"]
                let response = try await fixture.send(
                    .post, "/\(status)", headers: headers, body: HTTPBody(Data("b".utf8)))
                #expect(response.status == status && response.text == "moved" && response.headers["Location"] == "/b")
            }
            #expect(fixture.peer.requests.count == 5)
        }

        @Test(arguments: Engine.allCases, [204, 304])
        func `a status without a body leaves the connection usable`(engine: Engine, status: Int) async throws {
            let fixture = try Fixture(engine)
            fixture.peer.on(.get, "/", .status(status)).on(.head, "/", .text("twelve bytes")).on(
                .get, "/next", .text("next"))
            #expect(try await fixture.send().data.isEmpty)
            #expect(try await fixture.send(.head).data.isEmpty)
            #expect(try await fixture.send(.get, "/next").text == "next")
        }

        @Test(arguments: Engine.http1) func `a refused connection and an unknown host name give different errors`(
            engine: Engine
        ) async throws {
            let server = try LoopbackServer()
            server.stop()
            let transport = engine.make()
            let refused = await failure { _ = try await transport.send(to: server) }
            #expect(refused == HTTPError(.cannotConnect("\(server.baseURL)")), "\(String(describing: refused))")
            let url = try #require(URL(string: "http://nowhere.invalid/"))
            let unknown = await failure {
                _ = try await transport.send(HTTPRequest(.get, url), context: .patient)
            }
            #expect(unknown == HTTPError(.hostNotFound("nowhere.invalid")), "\(String(describing: unknown))")
        }
    }
}
