import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardSystem
import HalyardTesting
import TestSupport
import Testing

/// Each property of an engine's configuration works, or is an error.
@Suite(.timeLimit(.minutes(3)))
struct ConfigurationTests {
    private func send(_ configuration: EngineConfiguration, _ url: String) async throws -> HTTPResponse {
        let url = try #require(URL(string: url))
        return try await CurlTransport(configuration: configuration).send(
            HTTPRequest(.get, url), context: TransferContext())
    }

    @Test func `an engine that cannot start leaves no descriptor open`() async {
        await #expect(processExitsWith: .success) {
            let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let before = try descriptors()
            for _ in 0..<10 {
                // This name is longer than libcurl accepts.
                let name = String(repeating: "x", count: 8_000_001)
                let transport = CurlTransport(configuration: EngineConfiguration(localInterface: name))
                await #expect(throws: HTTPError(.configuration("localInterface"))) {
                    try await transport.send(HTTPRequest(.get, url), context: TransferContext())
                }
            }
            #expect(try descriptors() < before + 10)
        }
    }

    @Test func `the loaded libcurl is usable and matches HALYARD_LIBCURL if that is set`() throws {
        try CurlLibrary.load()
        #expect(CurlLibrary.version >= 0x074400)
        guard let meant = ProcessInfo.processInfo.environment["HALYARD_LIBCURL"] else { return }
        let version = meant.split(separator: ".").compactMap { UInt32($0) }.reduce(0) { $0 << 8 + $1 }
        #expect(CurlLibrary.version == version)
    }

    @Test func `the error for an invalid proxy in the environment hides its password`() async {
        await #expect(processExitsWith: .success) {
            let url = try #require(URL(string: "http://example.test/"))
            for proxy in ["http://user:secr et@proxy", "foo://user:secret@proxy"] {
                setenv("http_proxy", proxy, 1)
                let error = await #expect(throws: HTTPError.self) {
                    try await CurlTransport().send(HTTPRequest(.get, url), context: TransferContext())
                }
                // libcurl 7.76 accepts the first URL, and then does not find the host "proxy".
                #expect(error == HTTPError(.configuration("proxy")) || error == HTTPError(.hostNotFound("the proxy")))
                #expect(error.map { !"\($0)".contains("secr") } == true)
            }
        }
    }

    @Test func `configured addresses replace the name lookup`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("here"))
        let configuration = EngineConfiguration(addresses: ["api.example.com:\(server.port)": ["127.0.0.1"]])
        #expect(try await send(configuration, "http://api.example.com:\(server.port)/").text == "here")
        #expect(server.requests[0].headers["Host"] == "api.example.com:\(server.port)")
    }

    @Test func `a proxy gets the whole URL, and hosts that bypass it connect directly`() async throws {
        let proxy = try LoopbackServer().on(.get, "/{any}", .text("by the proxy"))
        let server = try LoopbackServer().on(.get, "/a", .text("directly"))
        let names = ["one.example:\(server.port)": ["127.0.0.1"], "two.example:\(server.port)": ["127.0.0.1"]]
        let configuration = EngineConfiguration(
            proxy: .http("127.0.0.1", port: proxy.port, user: "u", password: "p:w", except: ["two.example"]),
            addresses: names)
        _ = try? await send(configuration, "http://one.example:\(server.port)/a")
        #expect(proxy.connectionCount == 1 && server.connectionCount == 0)
        let seen = try #require(proxy.requests.first)
        #expect(seen.target == "http://one.example:\(server.port)/a")
        #expect(seen.headers["Proxy-Authorization"] == "Basic \(Data("u:p:w".utf8).base64EncodedString())")
        #expect(try await send(configuration, "http://two.example:\(server.port)/a").text == "directly")
        #expect(proxy.connectionCount == 1)
        let direct = EngineConfiguration(proxy: .direct, addresses: names)
        #expect(try await send(direct, "http://one.example:\(server.port)/a").text == "directly")
    }

    @Test func `a proxy that refuses a tunnel or cannot be reached fails with that reason`() async throws {
        let proxy = try LoopbackServer().on(.connect, "/{any}", .status(407))
        let refused = await #expect(throws: HTTPError.self) {
            try await send(EngineConfiguration(proxy: .http("127.0.0.1", port: proxy.port)), "https://api.example.com/")
        }
        #expect(refused == HTTPError(.cannotConnect("https://api.example.com")))
        #expect(refused?.reason?.contains("the proxy answered") == true, "\(String(describing: refused))")
        proxy.stop()
        for way in [
            EngineConfiguration.Proxy.http("127.0.0.1", port: proxy.port), .socks5("127.0.0.1", port: proxy.port),
        ] {
            await #expect(throws: HTTPError(.cannotConnect("https://api.example.com"))) {
                try await send(EngineConfiguration(proxy: way), "https://api.example.com/")
            }
        }
        #expect(
            "\(EngineConfiguration.Proxy.http("p.example", port: 1, user: "u", password: "secret"))"
                == "http://p.example:1")
    }

    @Test func `an unknown local interface is rejected and an existing one is used`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("here"))
        #expect(try await send(EngineConfiguration(localInterface: "127.0.0.1"), "\(server.baseURL)").text == "here")
        await #expect(throws: HTTPError(.configuration("localInterface"))) {
            try await send(EngineConfiguration(localInterface: "if!no-such0"), "\(server.baseURL)")
        }
    }

    @Test func `connections are limited per host and in total`() async throws {
        let (servers, most) = (Lock<[LoopbackServer]>([]), Lock(0))
        for _ in 0..<3 {
            let server = try LoopbackServer().on(.get, "/") { _ in
                let open = servers.withLock { $0 }.reduce(0) { $0 + $1.openConnectionCount }
                most.withLock { $0 = max($0, open) }
                return .status(200).delayed(by: .milliseconds(20))
            }
            servers.withLock { $0.append(server) }
        }
        let all = servers.withLock { $0 }
        func send(over transport: CurlTransport) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<24 { group.addTask { _ = try await transport.send(to: all[index % 3]) } }
                try await group.waitForAll()
            }
        }
        // The client may close a connection to make room for another; a busy server notices this later. Without the limit
        // there would be 24.
        try await send(over: CurlTransport(configuration: .init(connectionLimit: 1)))
        #expect(most.withLock { $0 } <= 6)
        try await eventually("all are closed") { all.allSatisfy { $0.openConnectionCount == 0 } }
        let before = all.map(\.connectionCount)
        try await send(over: CurlTransport(configuration: .init(connectionsPerHost: 2)))
        for (server, count) in zip(all, before) { #expect(server.connectionCount - count <= 2) }
        servers.withLock { $0 = [] }
    }

    @Test func `cleartext HTTP/2 is used if the configuration requires it`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200))
        // The server supports only HTTP/1.1, and reads the start of HTTP/2's preface (RFC 9113 section 3.4).
        _ = try? await send(
            EngineConfiguration(idleTimeout: .milliseconds(300), httpVersion: .http2), "\(server.baseURL)")
        #expect(server.requests.allSatisfy { $0.method.rawValue == "PRI" })
        #expect(server.connectionCount > 0)
        #expect(try await send(EngineConfiguration(httpVersion: .http1), "\(server.baseURL)").status == 200)
    }

    @Test func `a Unix domain socket replaces the network`() async throws {
        let path = "/tmp/halyard-\(UUID().uuidString.prefix(8))"
        let listener = try UnixListener(path)
        defer { listener.close() }
        let served = Task.detached { listener.answerOne("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhere") }
        let response = try await send(EngineConfiguration(unixSocket: path), "http://docker.example/info")
        #expect(response.text == "here")
        #expect(await served.value.hasPrefix("GET /info HTTP/1.1\r\nHost: docker.example\r\n"))
        await #expect(throws: HTTPError(.cannotConnect("http://docker.example"))) {
            try await send(EngineConfiguration(unixSocket: path + "-not"), "http://docker.example/info")
        }
    }

    @Test func `the error for an unusable Unix socket names it and gives the system's reason`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "file")
        let long = "/tmp/" + String(repeating: "x", count: 200)
        for (path, word) in [(folder.file("none").path, "No such file"), (file.path, "onnection refused")] {
            let error = await failure { _ = try await send(EngineConfiguration(unixSocket: path), "http://a.example/") }
            #expect(error == HTTPError(.cannotConnect("http://a.example")))
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains(path) && text.contains(word) && !text.contains("127.0.0.1"), "\(text)")
        }
        let error = await failure { _ = try await send(EngineConfiguration(unixSocket: long), "http://a.example/") }
        #expect(error == HTTPError(.configuration("unixSocket")) && error?.reason?.contains("too long") == true)
    }

    @Test func `the error for an unreadable certificate file names it and gives the system's reason`() async throws {
        let folder = try TemporaryFolder()
        let (file, missing) = (try folder.write("x", to: "file"), folder.file("missing.pem"))
        let server = try LoopbackServer().on(.get, "/", .text("ok"))
        let settings: [(EngineConfiguration.TLS, URL, String)] = [
            (.init(roots: .file(missing)), missing, "No such file"),
            (.init(roots: .file(folder.url)), folder.url, "folder"),
            (.init(clientCertificate: .init(certificate: missing, key: file)), missing, "No such file"),
            (.init(clientCertificate: .init(certificate: file, key: missing)), missing, "No such file"),
        ]
        for (tls, url, word) in settings {
            let error = await failure { _ = try await send(EngineConfiguration(tls: tls), "\(server.baseURL)") }
            #expect(
                error == HTTPError(.unreadableFile(url.path(percentEncoded: false))), "\(String(describing: error))")
            #expect(error?.reason?.contains(word) == true, "\(String(describing: error))")
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `the engine's timeouts apply to transfers without their own`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200).delayed(by: .seconds(3600)))
        await #expect(throws: HTTPError.timedOut) {
            try await send(EngineConfiguration(idleTimeout: .milliseconds(50)), "\(server.baseURL)")
        }
    }

    @Test func `waiting for a busy connection does not count towards the connect timeout`() async throws {
        let server = try LoopbackServer().on(.get, "/", .status(200).delayed(by: .milliseconds(150)))
        let transport = CurlTransport(
            configuration: .init(connectTimeout: .milliseconds(250), connectionsPerHost: 1))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 { group.addTask { try await transport.send(to: server).status } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.connectionCount == 1)
    }

    @Test func `waiting for another host's connection does not count towards the connect timeout`() async throws {
        let servers = try (0..<2).map { _ in
            try LoopbackServer().on(.get, "/", .status(200).delayed(by: .milliseconds(150)))
        }
        let transport = CurlTransport(configuration: .init(connectTimeout: .milliseconds(250), connectionLimit: 1))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<6 { group.addTask { try await transport.send(to: servers[index % 2]).status } }
            for try await status in group { #expect(status == 200) }
        }
        for server in servers { #expect(server.requests.count == 3) }
    }

    @Test func `a body beyond the engine's limit fails, even in a file`() async throws {
        let server = try LoopbackServer().on(.get, "/", .data(Data(count: 1001)))
        let file = URL(filePath: NSTemporaryDirectory()).appending(path: UUID().uuidString)
        let transport = CurlTransport(configuration: .init(bodyLimit: 1000))
        for destination in [HTTPRequest.Destination.memory(), .file(file)] {
            await #expect(throws: HTTPError(.bodyTooLarge(limit: 1000))) {
                try await transport.send(to: server, destination: destination)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }
}

/// A server on a Unix domain socket, for one request.
private struct UnixListener {
    private let descriptor: CInt
    private let path: String

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(descriptor, 1) == 0)
    }

    /// Waits for a request, responds to it, and returns its text.
    func answerOne(_ response: String) -> String {
        let connection = accept(descriptor, nil, nil)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(connection, &bytes, bytes.count)
        _ = Array(response.utf8).withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
        _ = Glibc.close(connection)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    func close() {
        _ = Glibc.close(descriptor)
        unlink(path)
    }
}
