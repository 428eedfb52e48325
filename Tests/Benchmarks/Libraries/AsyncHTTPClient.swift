import AsyncHTTPClient

@main enum Program {
    static func main() async throws {
        let url = "\(base)/small"
        try await measure {
            let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
            return try await response.body.collect(upTo: 1 << 20).readableBytes
        }
    }
}
