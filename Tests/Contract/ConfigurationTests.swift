import ContractEngines
import Foundation
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

extension Contract {
    /// The settings of an engine.
    @Suite struct ConfigurationTests {
        @Test(arguments: [
            ("connectTimeout", EngineConfiguration(connectTimeout: .seconds(1))),
            ("connectionLimit", EngineConfiguration(connectionLimit: 0)),
            ("httpVersion", EngineConfiguration(httpVersion: .http1)),
            ("unixSocket", EngineConfiguration(unixSocket: "/no/such/socket")),
            ("addresses", EngineConfiguration(addresses: ["a.example:80": ["127.0.0.1"]])),
            ("localInterface", EngineConfiguration(localInterface: "127.0.0.1")),
            ("decompresses", EngineConfiguration(decompresses: false)),
            (
                "tls.clientCertificate",
                EngineConfiguration(
                    tls: .init(clientCertificate: .init(certificate: URL(filePath: "/a"), key: URL(filePath: "/b"))))
            ),
            ("tls.roots", EngineConfiguration(tls: .init(roots: .pem("no certificate")))),
        ])
        func `URLSession rejects a setting it does not support with an error that names it`(
            property: String, configuration: EngineConfiguration
        ) async throws {
            try await Self.refuses(configuration, property)
        }

        private static func refuses(_ configuration: EngineConfiguration, _ property: String) async throws {
            let server = try LoopbackServer().on(.get, "/", .status(200))
            let transport = Engine.urlSession.make(configuration)
            let error = await failure { _ = try await transport.send(to: server) }
            #expect(error == HTTPError(.configuration(property)))
            #expect(server.connectionCount == 0)
        }

        @Test func `URLSession ignores settings that only tune an engine, and lists them`() async throws {
            let server = try LoopbackServer().on(.get, "/", .status(200))
            let tuned = EngineConfiguration(
                connectionLimit: 3, keepAlive: .seconds(1), alternativeServices: AlternativeServiceStore())
            let transport = Engine.urlSession.make(tuned)
            #expect(transport.ignoredSettings == ["connectionLimit", "keepAlive", "alternativeServices"])
            #expect(try await transport.send(to: server).status == 200)
            #expect(Engine.urlSession.make().ignoredSettings.isEmpty)
            #expect(Engine.allCases.filter { $0 != .urlSession }.allSatisfy { $0.make(tuned).ignoredSettings.isEmpty })
        }

        #if !canImport(Darwin)
            @Test(arguments: [
                ("proxy", EngineConfiguration(proxy: .direct)),
                ("proxy", EngineConfiguration(proxy: .http("127.0.0.1", port: 1))),
                ("tls.roots", EngineConfiguration(tls: .init(roots: .file(URL(filePath: "/a"))))),
                ("tls.pins", EngineConfiguration(tls: .init(pins: ["a": []]))),
                ("tls.minimumVersion", EngineConfiguration(tls: .init(minimumVersion: .tls13))),
            ])
            func `on Linux URLSession refuses a custom CA, pinning, a minimum TLS version and a proxy`(
                property: String, configuration: EngineConfiguration
            ) async throws {
                try await Self.refuses(configuration, property)
            }
        #endif

        @Test func `URLSession rejects a connect timeout for one transfer`() async throws {
            let server = try LoopbackServer().on(.get, "/", .status(200))
            let error = await failure {
                _ = try await Engine.urlSession.make()
                    .send(to: server, context: TransferContext(connectTimeout: .seconds(1)))
            }
            #expect(error == HTTPError(.configuration("connectTimeout")))
        }

        @Test(arguments: Engine.wire) func `responses beyond header and body limits fail`(engine: Engine) async throws {
            let server = try LoopbackServer()
                .on(.get, "/headers", .status(200, headers: ["X-A": String(repeating: "v", count: 3000)]))
                .on(.get, "/body", .text(String(repeating: "v", count: 3000)))
            let transport = engine.make(EngineConfiguration(headerLimit: 2000, bodyLimit: 2000))
            let headers = await failure { _ = try await transport.send(to: server, "/headers") }
            let stream = await failure {
                let response = try await transport.send(to: server, "/body", destination: .stream)
                for try await _ in try #require(response.stream) {}
            }
            #expect(headers == HTTPError(.headersTooLarge(limit: 2000)))
            #expect(stream == HTTPError(.bodyTooLarge(limit: 2000)))
        }

        @Test(arguments: Engine.http1) func `connectionsPerHost limits open connections`(engine: Engine) async throws {
            let server = try LoopbackServer().on(.get, "/", .text("ok"))
            let transport = engine.make(EngineConfiguration(connectionsPerHost: 2))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await transport.send(to: server) } }
                try await group.waitForAll()
            }
            #expect(server.connectionCount <= 2)
        }
    }

    /// Reports of a transfer other than the response.
    @Suite struct ReportTests {
        @Test(arguments: Engine.wire) func `metrics report bytes and times`(engine: Engine) async throws {
            let server = try LoopbackServer().on(.post, "/", .text("hello"))
            let transport = engine.make()
            let plain = try await transport.send(.post, to: server, body: HTTPBody(Data("body".utf8)))
            let streamed = try await transport.send(.post, to: server, destination: .stream)
            let stream = try #require(streamed.stream)
            for try await _ in stream {}
            let metrics = plain.metrics ?? TransferMetrics()
            #expect(metrics.bytesSent == 4 && metrics.bytesReceived == 5)
            #expect(metrics.firstByte > .zero && metrics.total >= metrics.firstByte)
            #expect(streamed.metrics != nil && stream.metrics?.bytesReceived == 5)
        }

        @Test(.faults(27), arguments: Engine.wire) func `the first sixteen interim responses are reported`(
            engine: Engine
        )
            async throws
        {
            let interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", count: 50)
            let server = try LoopbackServer()
                .on(.get, "/", .raw(interim + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
            let response = try await engine.make().send(to: server)
            #expect(response.status == 200 && response.text == "ok" && !response.headers.contains("Link"))
            #expect(response.informational.map(\.status) == Array(repeating: 103, count: 16))
            #expect(response.informational.first?.headers["Link"] == "</a>")
        }

        @Test(.faults(27), arguments: Engine.wire) func `a million 1xx responses fail`(engine: Engine) async throws {
            let block = Data(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1000).utf8)
            let server = try ScriptedServer { connection in
                connection.readHead()
                for _ in 0..<1000 where !connection.write(block) { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
            let error = await failure { _ = try await engine.make().send(to: server) }
            #expect(error != nil && error != .timedOut, "\(String(describing: error))")
        }

        #if os(Linux)
            @Test(.faults(33), arguments: Engine.wire.filter(\.isCurl))
            func `trailers are reported`(engine: Engine) async throws {
                let raw =
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Trailer: late\r\n\r\n"
                let server = try LoopbackServer().on(.get, "/", .raw(raw))
                let response = try await engine.make().send(to: server)
                #expect(response.text == "abc" && !response.headers.contains("X-Trailer"))
                #expect(response.trailers["X-Trailer"] == "late")
            }
        #endif

        @Test(.faults(28), arguments: Engine.http1, ["GET 204", "GET 304", "HEAD 200"])
        func `a body where none is allowed does not affect the next request`(
            engine: Engine, kind: String
        ) async throws {
            let server = try ScriptedServer { connection in
                while let head = connection.readHead() {
                    if head.contains(" /next ") {
                        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnext")
                    } else {
                        connection.write("HTTP/1.1 \(kind.suffix(3)) X\r\nContent-Length: 4\r\n\r\njunk")
                    }
                }
            }
            let transport = engine.make()
            let method: HTTPMethod = kind.hasPrefix("HEAD") ? .head : .get
            let first = try await transport.send(method, to: server)
            #expect(first.data.isEmpty && first.status == Int(kind.suffix(3)))
            let next = try await transport.send(to: server, "/next")
            #expect(next.status == 200 && next.text == "next")
        }
    }
}
