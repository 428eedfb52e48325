import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardSystem
import HalyardTesting
import TestSupport
import Testing

/// The credentials and the exceptions of a proxy, over the wire.
@Suite(.timeLimit(.minutes(3)))
struct ProxyTests {
    private let proxy, server: LoopbackServer

    init() throws {
        proxy = try LoopbackServer().on(.get, "/*", .text("by the proxy"))
        server = try LoopbackServer().on(.get, "/", .text("directly"))
    }

    private func text(_ host: String, _ proxy: EngineConfiguration.Proxy) async throws -> String {
        let configuration = EngineConfiguration(
            proxy: proxy, addresses: host.contains("[") ? [:] : ["\(host):\(server.port)": ["127.0.0.1"]])
        let request = try HTTPRequest(.get, #require(URL(string: "http://\(host):\(server.port)/")))
        return try await CurlTransport(configuration: configuration).send(request, context: TransferContext()).text
    }

    @Test(
        "a proxy's user and password are sent exactly as given",
        arguments: [
            ("a%41b", "p%2541"), ("a%", "%zz%"), ("a+b", "p:w"), ("ann@example.com", "a/b?c#d"), ("ü", "€"), ("u", ""),
            ("%3A", "%00"), ("u", " p "), ("\"u\"", "\\"),
        ])
    func credentials(user: String, password: String) async throws {
        for _ in 0..<2 {
            _ = try await text("one.example", .http("127.0.0.1", port: proxy.port, user: user, password: password))
        }
        let wanted = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        #expect(proxy.requests.map { $0.headers["Proxy-Authorization"] } == [wanted, wanted])
    }

    @Test("control characters in proxy credentials are refused", arguments: ["a\nb", "a\0b", "\u{7f}"])
    func controls(text: String) async throws {
        for (user, password) in [(text, "p"), ("u", text)] {
            let error = await failure {
                _ = try await self.text(
                    "a.example", .http("127.0.0.1", port: proxy.port, user: user, password: password))
            }
            #expect(error == HTTPError(.configuration("proxy")), "\(String(describing: error))")
        }
        #expect(proxy.connectionCount == 0)
    }

    /// A host, an exception, and whether it applies. `PORT` is the server's port.
    private static let exceptions = [
        ("one.example", "one.example", true), ("a.one.example", "one.example", true),
        ("none.example", "one.example", false),
        ("a.one.example", ".one.example", true), ("a.one.example", "*.one.example", true),
        ("b.a.one.example", "*.One.Example", true), ("one.example", "*.one.example", false),
        ("none.example", "*.one.example", false), ("one.example", "one.example:PORT", true),
        ("one.example", "one.example:1", false), ("a.one.example", "*.one.example:PORT", true),
        ("a.one.example", "*.one.example:1", false), ("one.example", "*", true), ("one.example", "one.*", true),
        ("one.example", "*one*amp*", true), ("one.example", "*x*one*", false), ("127.0.0.1", "127.0.0.1:PORT", true),
        ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.0/8", true), ("127.0.0.1", "127/8", true),
        ("127.0.0.1", "126.0.0.0/7", true), ("127.0.0.1", "10.0.0.0/8", false), ("127.0.0.1", "127.0.*", true),
        ("127.0.0.1", "0.0.1", false), ("127.0.0.1", "0.0.0.0/0", true), ("one.example", " one.example ", true),
        ("one.example", "one.example.", true), ("127.0.0.1", "::/0", false),
        ("xn--bcher-kva.example", "BÜCHER.example", true), ("a.xn--bcher-kva.example", "*.bücher.example", true),
        ("xn--bcher-kva.example", "bücher.example:1", false),
    ]

    @Test("a proxy exception applies in each supported form", arguments: exceptions)
    func except(host: String, exception: String, isDirect: Bool) async throws {
        let exceptions = ["other.example", exception.replacing("PORT", with: "\(server.port)")]
        let text = try await text(host, .http("127.0.0.1", port: proxy.port, except: exceptions))
        #expect(text == (isDirect ? "directly" : "by the proxy"))
    }

    @Test(
        "a proxy exception that names no host is refused",
        arguments: ["http://one.example", "one.example/x", "10.0.0.0/33", "one.example:x", "", "a b"])
    func refused(exception: String) async throws {
        let error = await failure {
            _ = try await text("one.example", .http("127.0.0.1", port: proxy.port, except: [exception]))
        }
        #expect(error == HTTPError(.configuration("proxy")), "\(String(describing: error))")
        #expect(error?.reason?.contains("\"\(exception)\"") == true)
        #expect(proxy.connectionCount == 0 && server.connectionCount == 0)
    }

    @Test func `a no_proxy entry that names no host is refused`() async {
        await #expect(processExitsWith: .success) {
            let request = try HTTPRequest(.get, #require(URL(string: "http://one.example/")))
            setenv("no_proxy", "localhost,http://one.example", 1)
            setenv("http_proxy", "http://127.0.0.1:1", 1)
            let error = await failure { _ = try await CurlTransport().send(request, context: TransferContext()) }
            #expect(error == HTTPError(.configuration("proxy")), "\(String(describing: error))")
        }
    }

    @Test func `no_proxy applies in each supported form`() async {
        await #expect(processExitsWith: .success) {
            let proxy = try LoopbackServer().on(.get, "/*", .text("by the proxy"))
            let server = try LoopbackServer().on(.get, "/", .text("directly"))
            setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            let names = ["a.one.example", "one.example", "two.example"]
            let addresses = names.map { ("\($0):\(server.port)", ["127.0.0.1"]) }
            for (list, direct) in [
                ("*.one.example", "a.one.example"), ("x, one.example:\(server.port)", "one.example"),
                ("one.example:1 two.example:\(server.port)", "two.example"),
            ] {
                setenv("no_proxy", list, 1)
                let transport = CurlTransport(
                    configuration: EngineConfiguration(addresses: Dictionary(uniqueKeysWithValues: addresses)))
                for name in names + names {
                    // A name of a list includes its subdomains.
                    guard !name.hasSuffix(direct) || name == direct, name != "one.example" || !list.hasPrefix("*")
                    else { continue }
                    let request = try HTTPRequest(.get, #require(URL(string: "http://\(name):\(server.port)/")))
                    let text = try await transport.send(request, context: TransferContext()).text
                    #expect(text == (name == direct ? "directly" : "by the proxy"), "\(name) with \(list)")
                }
            }
        }
    }
}
