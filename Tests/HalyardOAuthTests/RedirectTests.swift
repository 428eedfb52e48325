import Foundation
import HalyardHTTP
import HalyardOAuth
import HalyardSystem
import HalyardTesting
import TestSupport
import Testing

/// Logins with the user's own browser, which is redirected to the program (RFC 8252 section 7.3).
@Suite(.timeLimit(.minutes(3)))
struct RedirectTests {
    private let server: LoopbackServer
    private let client: OAuthClient

    init() throws {
        server = try LoopbackServer().on(.post, "/token", .json(text: #"{"access_token":"a1"}"#))
        client = OAuthClient(
            id: "app",
            server: OAuthServer(
                tokenURL: server.baseURL.appending(path: "token"),
                authorizationURL: server.baseURL.appending(path: "authorize")))
    }

    /// What a browser knows after it has opened the authorization URL.
    private struct Browser: Sendable {
        let redirect: String
        let state: String
        let port: in_port_t

        init(_ url: URL) throws {
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            redirect = try #require(items.first { $0.name == "redirect_uri" }?.value)
            state = try #require(items.first { $0.name == "state" }?.value)
            port = in_port_t(try #require(URL(string: redirect)?.port))
        }

        /// The target of the redirect with an answer.
        func target(_ answer: String) -> String {
            "\(URL(string: redirect)?.path ?? "")?\(answer)&state=\(state)"
        }
    }

    /// A connection to the program, which may send anything.
    private final class Peer: Sendable {
        struct Refused: Error {}
        private let descriptor = openStreamSocket(AF_INET)

        /// Throws an error if nobody listens.
        init(_ port: in_port_t) throws {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let code = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if code != 0 { throw Refused() }
        }

        deinit { close(descriptor) }

        /// The program may have closed the connection.
        func send(_ text: String) {
            SystemThread.borrow { _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        }

        /// Reads until the program closes the connection. The program answers on a thread of its own.
        ///
        /// The end of a login cancels the closure that has opened the browser, but not this task.
        func text() async throws -> String {
            let reading = Task {
                try await blocking { [self] in
                    var bytes: [UInt8] = []
                    while true {
                        let part = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
                            count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
                        }
                        if part.isEmpty { return String(decoding: bytes, as: UTF8.self) }
                        bytes += part
                    }
                }
            }
            return try await reading.value
        }
    }

    private func get(_ target: String, at port: in_port_t) async throws -> String {
        let peer = try Peer(port)
        peer.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUser-Agent: test\r\n\r\n")
        return try await peer.text()
    }

    private func expectClosed(_ port: in_port_t) { #expect(throws: Peer.Refused.self) { try Peer(port) } }

    @Test("the login ends with its own redirect, whatever else comes before", arguments: ["/", "/sign/in"])
    func success(path: String) async throws {
        let browsers = Log<Browser>()
        let pages = Log<String>()
        let token = try await client.browserLogin(scopes: ["openid"], path: path) { url in
            let browser = try Browser(url)
            browsers.add(browser)
            // A spare connection, and one that stops within a head.
            let (spare, partial) = (try Peer(browser.port), try Peer(browser.port))
            partial.send("GET \(path)?code=x&sta")
            for target in ["/favicon.ico", path + "x", path + "?code=evil&state=evil", path, "*"] {
                pages.add(try await get(target, at: browser.port))
            }
            for bytes in [
                "\u{16}\u{03}\u{01}\r\n\r\n", "POST \(path) HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n x\r\n\r\n",
            ] {
                let peer = try Peer(browser.port)
                peer.send(bytes)
                pages.add(try await peer.text())
            }
            let large = try Peer(browser.port)
            large.send("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 70_000))
            pages.add(try await large.text())
            let answer = try Peer(browser.port)
            for piece in ["GET \(browser.target("code=c%20d"))", " HTTP/1.1\r\nHost: a\r", "\n\r\n"] {
                answer.send(piece)
            }
            pages.add(try await answer.text())
            withExtendedLifetime((spare, partial)) {}
        }
        #expect(token.accessToken == "a1")
        let browser = try #require(browsers.entries.first)
        #expect(browser.redirect == "http://127.0.0.1:\(browser.port)\(path)")
        let form = try #require(server.requests.first).form
        #expect(form["code"] == "c d" && form["redirect_uri"] == browser.redirect)
        try await eventually("the last page has arrived") { pages.entries.count == 10 }
        let statuses = pages.entries.map { $0.split(separator: " ").dropFirst().first ?? "" }
        #expect(statuses.prefix(5) == ["404", "404", "400", "400", "404"])
        #expect(statuses.dropFirst(5) == ["404", "404", "400", "431", "200"])
        let last = try #require(pages.entries.last)
        #expect(last.contains("You can close this page") && last.contains("Cache-Control: no-store"))
        #expect(!pages.entries.contains { $0.contains("evil") || $0.contains(browser.state) })
        expectClosed(browser.port)
    }

    @Test("a refusal of the user is an error, and the page says so")
    func refused() async throws {
        let (pages, ports) = (Log<String>(), Log<in_port_t>())
        let error = await #expect(throws: OAuthError.self) {
            try await client.browserLogin { url in
                let browser = try Browser(url)
                ports.add(browser.port)
                pages.add(try await get(browser.target("error=access_denied&error_description=no"), at: browser.port))
            }
        }
        #expect(error?.code == .accessDenied && error?.reason == "no")
        try await eventually("the page has arrived") { pages.entries.count == 1 }
        #expect(pages.entries.first?.contains("refused") == true)
        expectClosed(try #require(ports.entries.first))
        #expect(server.requests.isEmpty)
    }

    @Test("a cancelled login closes its port and its connections")
    func cancelled() async throws {
        let (peers, ports) = (Log<Peer>(), Log<in_port_t>())
        let task = Task {
            try await client.browserLogin { url in
                let browser = try Browser(url)
                ports.add(browser.port)
                peers.add(try Peer(browser.port))
                // One that was accepted: it has an answer.
                _ = try await get("/x", at: browser.port)
                peers.add(try Peer(browser.port))
            }
        }
        try await eventually("two connections are open") { peers.entries.count == 2 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for peer in peers.entries { #expect(try await peer.text() == "") }
        expectClosed(try #require(ports.entries.first))
    }

    @Test("hundreds of idle connections do not keep the browser out")
    func crowd() async throws {
        let peers = Log<Peer>()
        let token = try await client.browserLogin { url in
            let browser = try Browser(url)
            for index in 0..<200 {
                let peer = try Peer(browser.port)
                if index % 2 == 0 { peer.send("GET / HT") }
                peers.add(peer)
            }
            _ = try await get(browser.target("code=c"), at: browser.port)
        }
        #expect(token.accessToken == "a1")
        // The oldest ones have made room, and the login has ended the others.
        for peer in peers.entries { #expect(try await peer.text() == "") }
    }

    @Test("an error of the closure that opens the browser ends the login, and its port is free for the next one")
    func unopened() async throws {
        struct NoBrowser: Error {}
        let ports = Log<in_port_t>()
        await #expect(throws: NoBrowser.self) {
            try await client.browserLogin { url in
                ports.add(try Browser(url).port)
                throw NoBrowser()
            }
        }
        let port = try #require(ports.entries.first)
        for _ in 0..<3 {
            let token = try await client.browserLogin(port: Int(port)) { url in
                let browser = try Browser(url)
                #expect(browser.port == port)
                _ = try await get(browser.target("code=c"), at: port)
                // The login does not wait for it.
                try await Task.sleep(for: .seconds(3600))
            }
            #expect(token.accessToken == "a1")
        }
    }

    @Test("a port or a path that cannot be used is an error that says so")
    func unusable() async throws {
        for port in [server.port, -1, 65536] {
            let error = await #expect(throws: OAuthError.self) {
                try await client.browserLogin(port: port) { _ in Issue.record("The browser was opened") }
            }
            #expect(error?.code == .portUnavailable && error?.description.contains("\(port)") == true)
        }
        for path in ["", "a", "/a b", "/a?b=c", "/a#b", "/a/../b", "/\u{E4}"] {
            let error = await failure {
                _ = try await client.browserLogin(path: path) { _ in Issue.record("The browser was opened") }
            }
            #expect(error?.kind == .invalidPath(path))
        }
        let missing = OAuthClient(id: "app", server: OAuthServer(tokenURL: server.baseURL))
        let error = await #expect(throws: OAuthError.self) { try await missing.browserLogin { _ in } }
        #expect(error?.code == .missingEndpoint("authorization_endpoint"))
    }
}
