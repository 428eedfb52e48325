import Foundation
import HalyardHTTP
import HalyardTesting
import Testing

@testable import HalyardCurl

/// Connections whose servers say when they will close them.
@Suite(.timeLimit(.minutes(3)))
struct KeepAliveTests {
    @Test func `no request is sent over a connection that is about to close`() async throws {
        let server = try LoopbackServer()
            .on(.get, "/later", .text("a", headers: ["Keep-Alive": "max=5, timeout=100"]))
            .on(.get, "/now", .text("a", headers: ["Keep-Alive": "timeout=0"]))
            .on(.get, "/", times: .any, .text("done"))
            .on(.post, "/", .text("done"))
        let transport = CurlTransport()
        for (method, path) in [(HTTPMethod.get, "/later"), (.get, "/"), (.get, "/now"), (.post, "/"), (.get, "/")] {
            let request = try HTTPRequest(method, server.baseURL.appending(path: path))
            let response = try await transport.send(request, context: TransferContext())
            #expect(response.status == 200 && response.metrics?.resends == 0)
        }
        #expect(server.requests.map(\.connection) == [0, 0, 0, 1, 1])
    }

    private func due(_ value: String, after milliseconds: Int) -> Bool {
        var ends = KeepAliveEnds()
        let now = MonotonicInstant.now
        ends.learn(["Keep-Alive": value], now) { 7 }
        return ends.takeDue(now.advanced(milliseconds: milliseconds)) == [7]
    }

    @Test(
        arguments: [
            ("timeout=5", 4000), ("Timeout=5, max=100", 4000), ("max=100, timeout=2", 1000), ("timeout=1", 500),
            ("timeout=0", 0),
        ])
    func `a connection ends a second before its server ends it`(value: String, milliseconds: Int) {
        #expect(due(value, after: milliseconds))
        if milliseconds > 0 { #expect(!due(value, after: milliseconds - 1)) }
    }

    @Test(arguments: ["", "timeout", "timeout=", "timeout=-1", "timeout=x", "max=5", "5", "timeout=1.5"])
    func `other values say nothing`(value: String) { #expect(!due(value, after: 1 << 40)) }

    @Test func `a huge time does not overflow, and a closed socket is forgotten`() {
        #expect(!due("timeout=99999999999999999", after: 1000))
        #expect(!due("timeout=99999999999999999999999999", after: 1000))
        var ends = KeepAliveEnds()
        let now = MonotonicInstant.now
        for socket: CInt in [7, 8, 9] { ends.learn(["Keep-Alive": "timeout=\(socket)"], now) { socket } }
        ends.remove(8)
        #expect(ends.takeDue(now.advanced(milliseconds: 6000)) == [7])
        #expect(ends.takeDue(now.advanced(milliseconds: 7000)) == [])
        #expect(ends.takeDue(now.advanced(milliseconds: 8000)) == [9])
    }
}
