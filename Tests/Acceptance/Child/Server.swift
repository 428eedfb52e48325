import Foundation
import HalyardTesting

/// Two loopback servers for the clients of others, without and with TLS.
enum Server {
    /// Prints the port of each and the root certificate in PEM, and serves until the standard input ends.
    static func serve() throws {
        let servers = try [nil, ServerCertificate.valid].map { try LoopbackServer(certificate: $0, recordLimit: 0) }
        for server in servers {
            server.on(.get, "/small", .text("hello")).on(.head, "/small", .text("hello"))
                .on(.get, "/large", .data(Data(repeating: 7, count: 1 << 20)))
                .on(.get, "/chunks", .chunked((0..<8).map { Data(repeating: $0, count: 1000) }))
                .on(.post, "/echo") { request in .data(request.body) }
        }
        print(servers.map { "\($0.port)" }.joined(separator: "\n"))
        print(servers[1].rootCertificate ?? "")
        fflush(nil)
        while readLine() != nil {}
        for server in servers { server.stop() }
    }
}
