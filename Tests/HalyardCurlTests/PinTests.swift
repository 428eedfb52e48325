import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardTesting
import TestSupport
import Testing

/// Pins that cannot be checked refuse the connection: nothing reaches a server.
@Suite(.timeLimit(.minutes(3)))
struct PinTests {
    private let server: ScriptedServer
    private let connections = Counter()

    init() throws {
        server = try ScriptedServer { [connections] connection in
            connections.increment()
            connection.drain()
        }
    }

    private func send(_ scheme: String, _ pins: [String: Set<String>]) async throws {
        let url = try #require(URL(string: "\(scheme)://localhost:\(server.baseURL.port ?? 0)/"))
        let transport = CurlTransport(configuration: EngineConfiguration(tls: .init(pins: pins)))
        _ = try await transport.send(try HTTPRequest(.get, url), context: TransferContext())
    }

    private func pins(_ count: Int) throws -> Set<String> {
        Set(
            (0..<count).map { number in
                let bytes = withUnsafeBytes(of: UInt64(number)) { Data($0) } + Data(count: 24)
                return bytes.base64EncodedString()
            })
    }

    @Test("an option that libcurl rejects fails, and no connection is opened")
    func refused() async throws {
        // This is longer than the 8 000 000 bytes that libcurl accepts.
        let many = try pins(160_000)
        await #expect(throws: HTTPError(.configuration("tls.pins"))) { try await send("https", ["localhost": many]) }
        #expect(connections.count == 0)
    }

    @Test("a pinned host is not contacted over plain http, and a pin for a host with a port fails")
    func plain() async throws {
        let pin = try pins(1)
        await #expect(throws: HTTPError(.tls(.wrongPin))) { try await send("http", ["LOCALHOST.": pin]) }
        let key = "localhost:\(server.baseURL.port ?? 0)"
        await #expect(throws: HTTPError(.configuration("tls.pins"))) { try await send("https", [key: pin]) }
        #expect(connections.count == 0)
    }
}
