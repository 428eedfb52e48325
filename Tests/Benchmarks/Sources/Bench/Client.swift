import Foundation
import HalyardAsync
import HalyardCurl
import HalyardFutures

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A way to send a request: ours at four heights, and Foundation's.
struct Client: Sendable {
    let get: @Sendable (URL) async throws -> Void

    struct Unexpected: Error { let status: Int, length: Int }

    static func named(_ name: String) throws -> Client {
        switch name {
        case "engine": engine(CurlTransport())
        case "await": Client { url in try check(await API(baseURL: url).request(.root).data()) }
        case "future": Client { url in try check(await API(baseURL: url).request(.root).future(Data.self).value) }
        case "callback":
            Client { url in
                let data = try await withCheckedThrowingContinuation { continuation in
                    API(baseURL: url).request(.root).responseData(on: .global()) { response in
                        continuation.resume(with: response.result)
                    }
                }
                try check(data)
            }
        case "urlsession": urlSession()
        default: throw Unexpected(status: 0, length: 0)
        }
    }

    private struct API: HTTPProvider {
        let baseURL: URL
    }

    private static func check(_ data: Data) throws {
        guard data.count == 23 else { throw Unexpected(status: 200, length: data.count) }
    }

    private static func engine(_ engine: CurlTransport) -> Client {
        Client { url in
            let request = try HTTPRequest(.get, url)
            let response = try await engine.send(request, context: TransferContext())
            guard response.status == 200 else { throw Unexpected(status: response.status, length: 0) }
            try check(response.data)
        }
    }

    private static func urlSession() -> Client {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        let session = URLSession(configuration: configuration)
        return Client { url in try check(await session.data(from: url).0) }
    }
}

extension Route {
    fileprivate static let root = Route(path: "")
}
