import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

/// Which requests are sent to a forward proxy, and share its connections.
@Suite(.timeLimit(.minutes(3)))
struct ForwardProxyTests {
    typealias Proxy = EngineConfiguration.Proxy

    private func handles(_ url: String, _ proxy: Proxy, _ environment: [String: String] = [:]) throws -> Bool {
        try proxy.forwards(Origin(ofURL: url), system: SystemProxy { environment[$0] })
    }

    @Test(arguments: [
        ("http://a.test", true), ("https://a.test", false), ("http://b.test", false), ("http://x.b.test:8080", false),
        ("http://xb.test", true), ("http://c.test", false), ("http://127.0.0.1:80", true),
    ])
    func `a forward proxy handles http URLs, except for excluded hosts and subdomains`(_ url: String, _ isServed: Bool)
        throws
    {
        let exceptions = ["b.test", ".C.test"]
        #expect(try handles(url, .http("p.test", port: 1, except: exceptions)) == isServed)
        #expect(try handles(url, .https("p.test", port: 1, except: exceptions)) == isServed)
        #expect(try !handles(url, .http("p.test", port: 1, except: ["*"])))
        #expect(try !handles(url, .socks5("p.test", port: 1)) && !handles(url, .direct))
    }

    @Test(arguments: [
        (["http_proxy": "http://p.test:1"], true), (["ALL_PROXY": "p.test"], true), ([:], false),
        (["HTTP_PROXY": "http://p.test:1"], false), (["https_proxy": "http://p.test:1"], false),
        (["http_proxy": "", "all_proxy": "http://p.test"], true), (["http_proxy": "socks5://p.test"], false),
        (["http_proxy": "p.test", "no_proxy": "b.test, a.test"], false),
        (["http_proxy": "p.test", "no_proxy": "", "NO_PROXY": "*"], false),
    ])
    func `the system's proxy follows curl's rules`(_ environment: [String: String], _ isServed: Bool) throws {
        #expect(try handles("http://a.test", .system, environment) == isServed)
        #expect(try !handles("http://localhost:8080", .system, environment))
    }

    @Test(arguments: [
        ("[::1]", "::1", true), ("[::1]:8080", "[0:0::1]:8080", true), ("[::1]:8080", "[::1]:80", false),
        ("[fe80::7]", "fe80::/10", true), ("[fec0::7]", "fe80::/10", false), ("10.1.2.3", "10.1.2.2/31", true),
        ("10.1.2.4", "10.1.2.2/31", false), ("169.254.7.7", "169.254/16", true), ("a.local", "*.local", true),
        ("a.test:80", "a.test:80", true), ("a.test", "A.test:80", true), ("a.test:81", "a.test:80", false),
        ("host_1.test", "host_1.test", true), ("a.test.", "a.test", true), ("a.test.", "*.test", true),
    ])
    func `hosts, ports, patterns and networks can be exceptions`(_ host: String, _ exception: String, _ isDirect: Bool)
        throws
    {
        let origin = try Origin(ofURL: "http://\(host)/")
        #expect(try ProxyExceptions(["x", exception]).contains(origin) == isDirect)
        #expect(try handles("http://\(host)/", .http("p.test", port: 1, except: ["x", exception])) == !isDirect)
    }

    @Test(arguments: [
        "", ".", "a b", "a:0", "a:65536", "a:b", "[::1", "::1/129", "1.2.3.4/33", "1.2.3/x", "/8", "u@h", "a:b:c",
    ])
    func `any other text for an exception is refused`(_ text: String) {
        #expect(throws: HTTPError(.configuration("proxy"))) { try ProxyExceptions([text]) }
    }

    @Test func `all origins behind the proxy share one queue`() throws {
        func pending(_ id: UInt64, _ url: String) throws -> PendingTransfer {
            let request = try HTTPRequest(.get, try #require(URL(string: url)))
            return PendingTransfer(id: id, request, TransferContext())
        }
        var limiter = ConnectionLimiter(
            EngineConfiguration(connectionsPerHost: 1, proxy: .http("p.test", port: 1)), connectionLimit: 100)
        let admitted = limiter.admit(try pending(1, "http://a.test"), now: .now)
        let queue = try #require(admitted)
        #expect(limiter.admit(try pending(2, "http://b.test"), now: .now) == nil)
        #expect(limiter.admit(try pending(3, "https://a.test"), now: .now) != nil)
        limiter.markMultiplexed(queue)  // This has no effect: its connections carry one transfer at a time.
        #expect(limiter.admitNext(after: queue) == nil)
        limiter.release(queue)
        #expect(limiter.admitNext(after: queue)?.request.id == 2)
    }

    @Test func `waiting for a connection to the proxy does not count towards the connect timeout`() async throws {
        let proxy = try LoopbackServer().on(.get, "/{any}", .status(200).delayed(by: .milliseconds(150)))
        let transport = CurlTransport(
            configuration: .init(
                connectTimeout: .milliseconds(250), connectionsPerHost: 1, proxy: .http("127.0.0.1", port: proxy.port)))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<6 {
                let url = try #require(URL(string: "http://host\(index).test/\(index)"))
                group.addTask {
                    try await transport.send(HTTPRequest(.get, url), context: TransferContext()).status
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(proxy.connectionCount == 1 && proxy.requests.count == 6)
    }
}
