import Foundation
import HalyardAsync
import HalyardCurl
import HalyardFutures

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with Halyard's engine, handlers, futures or await, or with Foundation's URLSession.
struct Client: Sendable {
    /// Sends a GET and checks the 23 bytes of its body.
    let get: @Sendable (URL) async throws -> Void
    /// Sends a GET and decodes 500 objects.
    var json: @Sendable (URL) async throws -> Void = { _ in throw Unexpected(what: "this client decodes nothing") }

    struct Unexpected: Error { let what: String }

    /// - Parameter root: The file with the certificate to be trusted, for HTTPS.
    static func named(_ name: String, _ inFlight: Int, root: String?) throws -> Client {
        var configuration = EngineConfiguration()
        if let root { configuration.tls.roots = .file(URL(filePath: root)) }
        switch name {
        case "engine": return engine(CurlTransport(configuration: configuration))
        case "urlsession": return urlSession(inFlight)
        case "await", "foundation", "future", "callback": return pipeline(name, HTTPClient(engine: configuration))
        default: throw Unexpected(what: "no client is called \(name)")
        }
    }

    private static func check(_ data: Data) throws {
        guard data.count == 23 else { throw Unexpected(what: "\(data.count) bytes came, not 23") }
    }

    private static func engine(_ engine: CurlTransport) -> Client {
        Client { url in
            let response = try await engine.send(HTTPRequest(.get, url), context: TransferContext())
            guard response.status == 200 else { throw Unexpected(what: "\(response.status)") }
            try check(response.data)
        }
    }

    private static func pipeline(_ name: String, _ client: HTTPClient) -> Client {
        let get: @Sendable (URL) async throws -> Void =
            switch name {
            case "await", "foundation": { url in try check(await API(url, client).request(.root).data()) }
            case "future": { url in try check(await API(url, client).request(.root).future(.data).value) }
            default:
                { url in
                    let data = try await withCheckedThrowingContinuation { continuation in
                        API(url, client).request(.root).responseValue(.data, on: .global()) { response in
                            continuation.resume(with: response.result)
                        }
                    }
                    try check(data)
                }
            }
        // "foundation" is the same pipeline with Foundation's coders.
        let mapper =
            name == "foundation" ? ObjectMapper(decoder: JSONDecoder(), encoder: JSONEncoder()) : ObjectMapper.standard
        return Client(get: get) { url in
            let items = try await API(url, client).request(.root.mapper(mapper)).object([Item].self)
            guard items.count >= 500 else { throw Unexpected(what: "only \(items.count) objects came") }
        }
    }

    private static func urlSession(_ inFlight: Int) -> Client {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = inFlight
        let session = URLSession(configuration: configuration)
        return Client {
            try check(await session.data(from: $0).0)
        } json: { url in
            _ = try await JSONDecoder().decode([Item].self, from: session.data(from: url).0)
        }
    }
}

struct API: HTTPProvider {
    let baseURL: URL
    let client: HTTPClient

    init(_ baseURL: URL, _ client: HTTPClient = .shared) {
        self.baseURL = baseURL
        self.client = client
    }
}

struct Item: Codable, Sendable {
    var id: Int
    var name: String
    var address: String
    var tags: [String]
    var score: Double
    var isActive: Bool
    var note: String?
}

extension Route {
    static let root = Route(path: "")
}
