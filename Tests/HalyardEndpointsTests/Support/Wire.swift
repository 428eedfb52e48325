import HalyardTesting
import Testing

extension LoopbackServer {
    /// The last request that the server received: `PUT /api/x body`.
    var wire: String {
        get throws {
            let last = try #require(requests.last)
            return "\(last.method) \(last.target) \(last.text)"
        }
    }
}
