import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardSystem
import HalyardTesting
import TestSupport
import Testing

/// Names with several addresses, and the cache of libcurl for names.
@Suite(.timeLimit(.minutes(3)))
struct NameTests {
    private func send(to name: String, _ server: LoopbackServer, _ transport: CurlTransport) async throws
        -> HTTPResponse
    {
        let url = try #require(URL(string: "http://\(name):\(server.port)/"))
        return try await transport.send(HTTPRequest(.get, url), context: TransferContext())
    }

    private func transport(_ server: LoopbackServer, _ addresses: [String]) -> CurlTransport {
        CurlTransport(
            configuration: EngineConfiguration(
                connectTimeout: .seconds(10), proxy: .direct, addresses: ["two.example:\(server.port)": addresses]))
    }

    @Test func `the next address is tried after one that refuses`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("here"))
        for addresses in [["[::1]", "127.0.0.1"], ["127.0.0.1", "[::1]"], ["127.0.0.2", "127.0.0.1"]] {
            let response = try await send(to: "two.example", server, transport(server, addresses))
            #expect(response.text == "here")
            #expect(response.metrics?.remoteAddress == "127.0.0.1:\(server.port)")
        }
    }

    /// RFC 8305: libcurl tries the other family after 200 milliseconds. Otherwise the time limit would end the request.
    @Test func `a silent IPv6 address does not delay a request until its timeout`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("here"))
        let silent = SilentPort(server.port)
        defer { silent?.close() }
        let response = try await send(to: "two.example", server, transport(server, ["[::1]", "127.0.0.1"]))
        #expect(response.metrics?.remoteAddress == "127.0.0.1:\(server.port)")
    }

    /// A check of CI counts the lookups of names.example, and gives it the address 127.0.0.1.
    @Test func `a name is looked up once for several connections`() async throws {
        let server = try LoopbackServer().on(.get, "/", .text("here").closingConnection())
        let list = ProcessInfo.processInfo.environment["HALYARD_LOOKUPS"].map { URL(filePath: $0) }
        let addresses = list == nil ? ["names.example:\(server.port)": ["127.0.0.1"]] : [:]
        let transport = CurlTransport(configuration: EngineConfiguration(proxy: .direct, addresses: addresses))
        for _ in 0..<3 { #expect(try await send(to: "names.example", server, transport).text == "here") }
        #expect(server.connectionCount == 3)
        guard let list else { return print("HALYARD_LOOKUPS is not set: no lookup was counted") }
        #expect(try String(contentsOf: list, encoding: .utf8) == "names.example\n")
        _ = try await send(
            to: "names.example", server, CurlTransport(configuration: EngineConfiguration(proxy: .direct)))
        #expect(try String(contentsOf: list, encoding: .utf8) == "names.example\nnames.example\n")
    }
}

/// A port of the address ::1 that answers no packet of a new connection.
private struct SilentPort {
    private let listener: CInt
    private let client: CInt

    /// Opens the port. `nil` on a machine without IPv6, whose connections fail at once.
    init?(_ port: Int) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = in_port_t(port).bigEndian
        address.sin6_addr = in6addr_loopback
        let (listener, client) = (openStreamSocket(AF_INET6), openStreamSocket(AF_INET6))
        let isOpen = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                // A backlog of 0 has room for the one connection that fills it.
                bind(listener, address, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0 && listen(listener, 0) == 0
                    && connect(client, address, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
            }
        }
        (self.listener, self.client) = (listener, client)
        guard isOpen else {
            close()
            return nil
        }
    }

    func close() {
        for descriptor in [listener, client] where descriptor >= 0 { _ = HalyardSystem.close(descriptor) }
    }
}
