import Foundation
import HalyardAsync

// The examples of the article on limits, word for word: they compile, and none is run.

private func choosing() -> (HTTPClient, Route) {
    let engine = EngineConfiguration(
        connectionsPerHost: 8, decompressionRatioLimit: 100, headerLimit: 32 << 10,
        bodyLimit: 1 << 30)
    let client = HTTPClient(
        engine: engine,
        configuration: .init(
            memoryLimit: 4 << 20, redirects: .follow(limit: 3), requestsInFlight: 64
        ))
    let avatar = Route(path: "/avatar").memoryLimit(256 << 10)
    return (client, avatar)
}

private func passed(_ api: some HTTPProvider, _ avatar: Route) async throws -> Data {
    do {
        return try await api.request(avatar).data()
    } catch HTTPError(.bodyTooLarge(limit: 256 << 10)) {
        return Data()  // any picture
    }
}
