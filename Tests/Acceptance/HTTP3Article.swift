import Foundation
import HalyardAsync

// The examples of the article on HTTP/3, word for word: they compile, and none is run.

#if os(Linux)
    import HalyardCurl

    private func capabilities() throws {
        print(try CurlTransport.capabilities)
        // libcurl 8.23.0, OpenSSL/3.6.5, HTTP/1.1, HTTP/2, HTTP/3,
        // WebSocket, HSTS, gzip, deflate, br, zstd
    }
#endif

private func atOnce() async throws {
    struct MusicAPI: HTTPProvider {
        var baseURL = URL(filePath: "/")
        var client: HTTPClient
    }
    let engine = EngineConfiguration(httpVersion: .http3)
    let api = MusicAPI(client: HTTPClient(engine: engine))
    let response = try await api.request(.me).response()
    print(response.metrics?.httpVersion ?? "unknown")  // HTTP/3
}

private func remembered(_ folder: URL) throws {
    let file = folder.appending(path: "alt-svc.json")
    let services = try AlternativeServiceStore(file: file)
    let engine = EngineConfiguration(alternativeServices: services)
    _ = engine
}

private func secured(_ folder: URL) throws {
    let hosts = try HSTSStore(file: folder.appending(path: "hsts.json"))
    let client = HTTPClient(configuration: .init(policies: [.hsts(hosts)]))
    _ = client
}
