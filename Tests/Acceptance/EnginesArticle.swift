import Foundation
import HalyardAsync

// The examples of the article on engines, word for word: they compile, and none is run.

private func choosing() {
    struct MusicAPI: HTTPProvider {
        var baseURL = URL(filePath: "/")
        var client: HTTPClient
    }
    let engine = EngineConfiguration(
        connectionsPerHost: 8, proxy: .http("proxy.example.com", port: 3128))
    let api = MusicAPI(client: HTTPClient(engine: engine))
    _ = api
}

private func refused(_ api: some HTTPProvider) async throws {
    do {
        try await api.request(.me).void()
    } catch HTTPError(.configuration("proxy")) {
        print("this engine takes no such proxy")
    }
}

private func proxies(name: String, word: String) -> [EngineConfiguration] {
    let none = EngineConfiguration(proxy: .direct)
    let socks = EngineConfiguration(proxy: .socks5("127.0.0.1", port: 1080))
    let office = EngineConfiguration(
        proxy: .http(
            "proxy.example.com", port: 3128, user: name, password: word,
            except: ["internal.example.com"]))
    return [none, socks, office]
}

private func ways() -> [EngineConfiguration] {
    let docker = EngineConfiguration(unixSocket: "/var/run/docker.sock")
    let staging = EngineConfiguration(addresses: [
        "api.example.com:443": ["127.0.0.1"]
    ])
    let wired = EngineConfiguration(localInterface: "eth0")
    return [docker, staging, wired]
}

private func connections() -> EngineConfiguration {
    let engine = EngineConfiguration(
        connectTimeout: .seconds(5), idleTimeout: .seconds(30),
        connectionsPerHost: 16, connectionLimit: 200,
        keepAlive: .seconds(30), httpVersion: .http1)
    return engine
}

private func limits() -> [EngineConfiguration] {
    let engine = EngineConfiguration(
        decompressionRatioLimit: 100, headerLimit: 64 << 10, bodyLimit: 1 << 30)
    let plain = EngineConfiguration(decompresses: false)
    return [engine, plain]
}

private func metrics(_ api: some HTTPProvider) async throws {
    let response = try await api.request(.me).response()
    print(
        response.metrics?.total ?? .zero,
        response.metrics?.isConnectionReused ?? false)
    print(
        response.trailers["X-Checksum"] ?? "none",
        response.informational.map(\.status))
}

private func trailers(_ client: HTTPClient, _ url: URL, _ hash: inout Hash) async throws {
    let request = try HTTPRequest(.get, url, destination: .stream)
    guard let stream = try await client.send(request).stream else { return }
    for try await chunk in stream { hash.update(chunk) }
    print(stream.trailers["X-Checksum"] ?? "none")
}

struct TunnelTransport: Transport {
    let tunnel: Tunnel

    func send(_ request: HTTPRequest, context: TransferContext) async throws
        -> HTTPResponse
    {
        try request.checkHeaders()
        try await tunnel.open(
            request.method.rawValue, request.url, request.headers)
        if let body = request.body {
            for try await chunk in body.chunks(reportingTo: context) {
                try await tunnel.write(chunk)
            }
        }
        let answer = try await tunnel.answer()
        return try await HTTPResponse(
            receiving: answer.chunks, status: answer.status,
            headers: answer.headers, for: request, context: context)
    }
}

struct Tunnel {
    struct Answer {
        var status = 200
        var headers: HTTPHeaders = [:]
        var chunks = AsyncStream<Data> { $0.finish() }
    }

    func open(_ method: String, _ url: URL, _ headers: HTTPHeaders) async throws {}
    func write(_ bytes: Data) async throws {}
    func answer() async throws -> Answer { Answer() }
}

private struct Hash {
    var count = 0
    mutating func update(_ chunk: Data) { count += chunk.count }
}
