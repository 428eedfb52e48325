import Foundation
import Get

@main enum Program {
    static func main() async throws {
        let client = APIClient(baseURL: base)
        try await measure { try await client.data(for: Request(path: "/small")).value.count }
    }
}
