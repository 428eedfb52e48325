import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

/// Whose connections libcurl counts as the proxy's.
@Suite(.timeLimit(.minutes(3)))
struct ForwardProxyTests {
    typealias Proxy = EngineConfiguration.Proxy

    private func serves(_ url: String, _ proxy: Proxy, _ environment: [String: String] = [:]) throws -> Bool {
        try PlainProxy(proxy) { environment[$0] }?.serves(Origin(ofURL: url)) ?? false
    }

    @Test(arguments: [
        ("http://a.test", true), ("https://a.test", false), ("http://b.test", false), ("http://x.b.test:8080", false),
        ("http://xb.test", true), ("http://c.test", false), ("http://127.0.0.1:80", true),
    ])
    func `it serves what is on http, but for its exceptions and what is below them`(_ url: String, _ isServed: Bool)
        throws
    {
        let exceptions = ["b.test", ".C.test"]
        #expect(try serves(url, .http("p.test", port: 1, except: exceptions)) == isServed)
        #expect(try serves(url, .https("p.test", port: 1, except: exceptions)) == isServed)
        #expect(try !serves(url, .http("p.test", port: 1, except: ["*"])))
        #expect(try !serves(url, .socks5("p.test", port: 1)) && !serves(url, .direct))
    }

    @Test(arguments: [
        (["http_proxy": "http://p.test:1"], true), (["ALL_PROXY": "p.test"], true), ([:], false),
        (["HTTP_PROXY": "http://p.test:1"], false), (["https_proxy": "http://p.test:1"], false),
        (["http_proxy": "", "all_proxy": "http://p.test"], true), (["http_proxy": "socks5://p.test"], false),
        (["http_proxy": "p.test", "no_proxy": "b.test, a.test"], false),
        (["http_proxy": "p.test", "no_proxy": "", "NO_PROXY": "*"], false),
    ])
    func `the system's is the environment's, as curl reads it`(_ environment: [String: String], _ isServed: Bool) throws
    {
        #expect(try serves("http://a.test", .system, environment) == isServed)
        #expect(try !serves("http://localhost:8080", .system, environment))
    }

    @Test func `all whom it serves wait in one line`() throws {
        func start(_ id: UInt64, _ url: String) throws -> Start {
            let request = try HTTPRequest(.get, try #require(URL(string: url)))
            return Start(id: id, request, TransferContext(), pipes: [], pouring: nil)
        }
        var admission = Admission(
            EngineConfiguration(connectionsPerHost: 1, proxy: .http("p.test", port: 1)), connections: 100)
        let entered = admission.enter(try start(1, "http://a.test"), now: .now)
        let line = try #require(entered)
        #expect(admission.enter(try start(2, "http://b.test"), now: .now) == nil)
        #expect(admission.enter(try start(3, "https://a.test"), now: .now) != nil)
        admission.share(line)  // whatever is said: its connections carry one at a time
        #expect(admission.next(after: line) == nil)
        admission.leave(line)
        #expect(admission.next(after: line)?.start.id == 2)
    }

    @Test func `waiting for one of its connections is no part of the time for connecting`() async throws {
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
