import Foundation
import HalyardAsync
import HalyardCache
import HalyardTesting
import TestSupport
import Testing

// The examples of the article on caching, word for word.

private struct CatalogueAPI: HTTPProvider {
    var baseURL = URL(string: "https://api.example.com/v1")!
    var client = HTTPClient.shared
}

private func making() -> HTTPClient {
    let cache = HTTPCache.memory(limit: 32 << 20)
    let client = HTTPClient(configuration: .init(policies: [.cache(cache)]))
    return client
}

private func saving(_ folder: URL) throws -> HTTPCache {
    let saved = try HTTPCache.disk(at: folder, limit: 256 << 20)
    return saved
}

private func using(_ api: CatalogueAPI) async throws {
    let catalogue = Route(path: "/catalogue").cache(.ttl(.seconds(300)))
    let response = try await api.request(catalogue).response()
    print(
        response.cacheStatus?.isHit == true, response.cacheStatus?.timeToLive ?? 0)
}

struct CachingArticleTests {
    @Test("the article's examples work")
    func run() async throws {
        let stub = StubTransport().on(.get, "/catalogue", .text("a"))
        let policies = making().configuration.policies
        let api = CatalogueAPI(client: HTTPClient(transport: stub, configuration: .init(policies: policies)))
        for _ in 0..<2 { try await using(api) }
        #expect(stub.requests.count == 1)
        let folder = try TemporaryFolder()
        #expect(try saving(folder.url.appending(path: "cache")).byteCount == 0)
    }
}
