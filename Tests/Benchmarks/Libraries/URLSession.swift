import Foundation
import FoundationNetworking

@main enum Program {
    static func main() async throws {
        let url = base.appending(path: "small")
        try await measure { try await URLSession.shared.data(from: url).0.count }
    }
}
