import Foundation
@testable import HalyardWebSocket
import TestSupport
import Testing

/// Sockets to servers that others wrote.
///
/// The servers run in another program (`.ci/websocket-servers.py`), which passes their folder in `HALYARD_WEBSOCKETS`.
/// Without it, each test prints that it was skipped.
@Suite(.timeLimit(.minutes(3)))
struct OtherServersTests {
    static let names = ["websockets", "websockets-tls", "wsproto", "wsproto-tls", "nginx", "nginx-tls"]
    private static let folder = ProcessInfo.processInfo.environment["HALYARD_WEBSOCKETS"].map { URL(filePath: $0) }

    /// The API of a server. `nil` if there are no servers.
    private func api(
        _ name: String, _ authentication: Authentication = .none, roots: String = "root.pem"
    ) throws -> API? {
        guard let folder = Self.folder else {
            print("HALYARD_WEBSOCKETS is not set: nothing was tried with \(name)")
            return nil
        }
        let data = try Data(contentsOf: folder.appending(path: "servers.json"))
        let port = try #require(JSONDecoder().decode([String: Int].self, from: data)[name])
        var engine = EngineConfiguration(proxy: .direct)
        engine.tls.roots = .file(folder.appending(path: roots))
        let scheme = name.hasSuffix("tls") ? "wss" : "ws"
        return API(
            baseURL: try #require(URL(string: "\(scheme)://localhost:\(port)")), client: .test(engine: engine),
            authentication: authentication)
    }

    private static let text = "Grüße an 世界 😀 "

    @Test(arguments: names, [0, 1, 125, 126, 65535, 65536, 1_000_000, 10_000_000])
    func `messages of any length are echoed`(name: String, length: Int) async throws {
        guard let socket = try await api(name)?.webSocket(Route(path: "/echo")) else { return }
        let bytes = Data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        try await socket.send(.binary(bytes))
        // A server may echo each frame of a message that it has received in parts.
        #expect(try await socket.receive() == .binary(bytes))
        let text = String(repeating: "ß", count: length / 2)
        try await socket.send(.text(text))
        #expect(try await socket.receive() == .text(text))
        try await socket.close(.normalClosure, reason: "thanks")
        #expect(socket.closeCode == .normalClosure)
    }

    @Test(arguments: names) func `ten thousand messages are echoed while they are sent`(name: String) async throws {
        guard let socket = try await api(name)?.webSocket(Route(path: "/echo")) else { return }
        async let sent: Void = { for number in 0..<10_000 { try await socket.send(.text("\(number)")) } }()
        for number in 0..<10_000 { #expect(try await socket.receive() == .text("\(number)")) }
        try await sent
        try await socket.close()
    }

    @Test(arguments: names) func `ten thousand messages that arrive at once are read`(name: String) async throws {
        guard let socket = try await api(name)?.webSocket(Route(path: "/count/10000")) else { return }
        for number in 0..<10_000 { #expect(try await socket.receive() == .text("\(number)")) }
        try await socket.close()
        #expect(socket.closeCode == .normalClosure)
    }

    @Test(arguments: names) func `joins fragments and receives messages up to the limit`(name: String) async throws {
        guard let socket = try await api(name)?.webSocket(Route(path: "/fragments")) else { return }
        #expect(try await socket.receive() == .text(Self.text))
        #expect(try await socket.receive() == .binary(Data(0...255)))
        guard let large = try await api(name)?.webSocket(Route(path: "/large")) else { return }
        #expect(try await large.receive()?.data == Data(repeating: UInt8(ascii: "x"), count: 8 << 20))
        guard
            let limited = try await api(name)?.webSocket(
                Route(path: "/large"), options: WebSocketOptions(messageLimit: 1 << 20))
        else { return }
        #expect(await webSocketFailure { _ = try await limited.receive() }?.kind == .messageTooLarge(limit: 1 << 20))
    }

    @Test(arguments: names) func `pings are answered in both directions`(name: String) async throws {
        guard let socket = try await api(name)?.webSocket(Route(path: "/ping")) else { return }
        #expect(try await socket.receive() == .text("ponged"))
        for _ in 0..<10 { #expect(try await socket.ping() > .zero) }
        try await socket.close()
    }

    @Test(arguments: names, [1000, 1001, 1011, 3000, 4999] as [UInt16])
    func `a close by the server provides its code and reason`(name: String, code: UInt16) async throws {
        guard let socket = try await api(name)?.webSocket(Route(path: "/close/\(code)")) else { return }
        let error = await webSocketFailure { for try await _ in socket.messages {} }
        #expect(error?.kind == (code == 1000 ? nil : .closed(WebSocketCloseCode(rawValue: code))))
        #expect(socket.closeCode?.rawValue == code && socket.closeReason == "as asked")
    }

    @Test(arguments: names) func `a refusal, a token and a subprotocol work with the server`(name: String)
        async throws
    {
        guard let refused = try api(name) else { return }
        let error = await failure { _ = try await refused.webSocket(Route(path: "/refuse")) }
        #expect(error?.kind == .status(403) && error?.response?.text == "not for you\n")
        let tokens = TokenSource("old") { _ in "new" }
        let socket = try await api(name, .bearer(tokens, allowsHTTP: true))?.webSocket(Route(path: "/secret"))
        #expect(socket?.response.sendCount == 2)
        try await socket?.close()
        let chat = try await refused.webSocket(Route(path: "/chat"), subprotocols: ["other", "chat"])
        #expect(chat.subprotocol == "chat")
        try await chat.close()
    }

    @Test(arguments: names) func `a hundred sockets work at once`(name: String) async throws {
        guard let api = try api(name) else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let socket = try await api.webSocket(Route(path: "/echo"))
                    try await socket.send(.text("\(number)"))
                    #expect(try await socket.receive() == .text("\(number)"))
                    try await socket.close()
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: ["websockets-tls", "wsproto-tls", "nginx-tls"])
    func `a certificate with an unknown root is refused`(name: String) async throws {
        guard let api = try api(name, roots: "stranger.pem") else { return }
        let error = await failure { _ = try await api.webSocket(Route(path: "/echo")) }
        #expect(error?.kind == .tls(.unknownRoot))
    }

    @Test(arguments: ["websockets", "websockets-tls", "nginx-tls"])
    func `sending waits while the server reads nothing, and everything arrives`(name: String) async throws {
        guard let socket = try await api(name)?.webSocket(Route(path: "/slow")) else { return }
        async let sent: Void = {
            for number in 0..<200 as Range<UInt8> {
                try await socket.send(.binary(Data(repeating: number, count: 200_000)))
            }
        }()
        for number in 0..<200 as Range<UInt8> {
            #expect(try await socket.receive() == .binary(Data(repeating: number, count: 200_000)))
        }
        try await sent
        try await socket.close()
    }
}
