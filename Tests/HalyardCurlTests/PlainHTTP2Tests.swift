import Foundation
import HalyardCurl
import HalyardHTTP
import HalyardSystem
import Testing

/// HTTP/2 without TLS.
@Suite(.timeLimit(.minutes(3)))
struct PlainHTTP2Tests {
    @Test func `HTTP/2 requests succeed consecutively and concurrently`() async throws {
        let url = try #require(URL(string: "http://127.0.0.1:\(try EmptyHTTP2Server().port)/"))
        let transport = CurlTransport(configuration: EngineConfiguration(httpVersion: .http2))
        for _ in 0..<3 {
            let response = try await transport.send(HTTPRequest(.get, url), context: TransferContext())
            #expect(response.status == 200 && response.metrics?.httpVersion == "HTTP/2")
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<20 {
                group.addTask { try await transport.send(HTTPRequest(.get, url), context: TransferContext()).status }
            }
            for try await status in group { #expect(status == 200) }
        }
    }
}

/// Answers every request with 200 and no body, for as long as the process runs.
private struct EmptyHTTP2Server {
    let port: UInt16

    init() throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        _ = SystemThread.start {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                _ = SystemThread.start { Self.serve(connection) }
            }
        }
    }

    private static func serve(_ connection: CInt) {
        func write(_ frame: [UInt8]) { _ = send(connection, frame, frame.count, CInt(MSG_NOSIGNAL)) }
        func read(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            return count == 0 || recv(connection, &bytes, count, CInt(MSG_WAITALL)) == count ? bytes : nil
        }
        defer { close(connection) }
        guard read(24) != nil else { return }  // the preface
        write([0, 0, 0, 4, 0, 0, 0, 0, 0])  // SETTINGS
        while let head = read(9), read(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])) != nil {
            if head[3] == 4 && head[4] == 0 { write([0, 0, 0, 4, 1, 0, 0, 0, 0]) }
            if head[3] == 1 { write([0, 0, 1, 1, 5] + head[5...] + [0x88]) }  // HEADERS: status 200, and no more
        }
    }
}
