import Alamofire
import Foundation

@main enum Program {
    static func main() async throws {
        let url = base.appending(path: "small")
        try await measure { try await AF.request(url).serializingData().value.count }
    }
}
