import Foundation
import HalyardTesting
import HalyardWebSocket
import TestSupport
import Testing

// The examples of the article on WebSockets, word for word.

private struct FeedAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
}

private struct Subscription: Encodable { var symbols: [String] }
private struct Price: Decodable, Sendable {
    var symbol: String
    var value: Double
}

private func opening(_ api: FeedAPI) async throws {
    let socket = try await api.webSocket(Route(path: "/feed"))
    try await socket.send(.text("subscribe"))
    for try await message in socket.messages {
        if case .text(let text) = message { print(text) }
    }
}

private func refused(_ api: FeedAPI) async throws {
    do {
        let socket = try await api.webSocket(
            Route(path: "/feed"), subprotocols: ["v2", "v1"])
        print(socket.subprotocol ?? "none")
    } catch HTTPError.status(403) {
        print("not allowed")
    }
}

private func values(_ socket: WebSocket) async throws {
    try await socket.send(json: Subscription(symbols: ["A", "B"]))
    for try await price in socket.messages(of: Price.self) {
        print(price.symbol, price.value)
    }
}

private func closing(_ socket: WebSocket) async throws {
    try await socket.close(.normalClosure, reason: "done")
    print(socket.closeCode ?? .abnormalClosure, socket.closeReason ?? "")
}

private func reconnecting(_ api: FeedAPI) async throws {
    let options = WebSocketOptions(
        pingInterval: .seconds(30), pongTimeout: .seconds(10))
    try await api.withWebSocket(
        Route(path: "/feed"), options: options, reconnecting: .standard
    ) { socket in
        try await socket.send(.text("subscribe"))
        for try await message in socket.messages { print(message) }
    }
}

struct WebSocketsArticleTests {
    /// The server refuses every handshake, which is enough to run the examples that begin with one.
    @Test("the article's examples reach the server")
    func run() async throws {
        let server = try LoopbackServer().on(.get, "/feed", .status(403))
        let api = FeedAPI(baseURL: server.baseURL)
        try await refused(api)
        await #expect(throws: HTTPError.status(403)) { try await opening(api) }
        await #expect(throws: HTTPError.status(403)) { try await reconnecting(api) }
        #expect(server.requests.count == 3)
        #expect(server.requests.first?.headers["Sec-WebSocket-Protocol"] == "v2, v1")
        _ = (values, closing)
    }
}
