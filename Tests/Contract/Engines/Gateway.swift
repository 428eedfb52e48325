#if os(Linux)
    import Foundation
    import HalyardCurl
    import HalyardHTTP

    /// The gateway from HTTP/3 to the servers of the tests, which runs in another program (`.ci/http3-gateway.py`).
    ///
    /// `HALYARD_HTTP3` names its folder.
    struct Gateway {
        static let shared = Gateway()

        let root: URL
        private let port: Int

        private init?() {
            guard let path = ProcessInfo.processInfo.environment["HALYARD_HTTP3"] else { return nil }
            let folder = URL(filePath: path)
            guard let data = try? Data(contentsOf: folder.appending(path: "servers.json")),
                let port = try? JSONDecoder().decode([String: Int].self, from: data)["gateway"]
            else { return nil }
            root = folder.appending(path: "root.pem")
            self.port = port
        }

        /// Returns the URL under which the gateway has what a server on this machine has at the given URL. Returns
        /// `nil` for URLs of other servers.
        func url(for url: URL) -> URL? {
            guard url.scheme == "http", url.host() == "127.0.0.1", let server = url.port else { return nil }
            let rest = url.absoluteString.dropFirst("http://127.0.0.1:\(server)".count)
            return URL(string: "https://p\(server).server.localhost:\(port)\(rest)")
        }
    }

    /// Sends requests over HTTP/3. A response over another version is an error.
    struct GatewayTransport: Transport {
        private let engine: CurlTransport

        init(_ configuration: EngineConfiguration) {
            var configuration = configuration
            configuration.httpVersion = .http3
            if let root = Gateway.shared?.root { configuration.tls.roots = .file(root) }
            engine = CurlTransport(configuration: configuration)
        }

        func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
            var request = request
            if let url = Gateway.shared?.url(for: request.url) { try request.setURL(url) }
            let response = try await engine.send(request, context: context)
            guard response.metrics?.httpVersion == "HTTP/3" else {
                throw HTTPError(.engineUnavailable, reason: "\(response.metrics?.httpVersion ?? "nothing") was used")
            }
            return response
        }

        var ignoredSettings: [String] { engine.ignoredSettings }

        func shutdown() { engine.shutdown() }
    }
#endif
