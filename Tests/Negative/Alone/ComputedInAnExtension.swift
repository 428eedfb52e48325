// options: -default-isolation MainActor
import Foundation
import HalyardAsync

nonisolated struct API {}

// error: conformance of 'API' to protocol 'HTTPProvider' crosses into main actor-isolated code and can cause data races [#ConformanceIsolation]
extension API: HTTPProvider {
    var baseURL: URL { URL(string: "https://api.example.com")! }
}

nonisolated struct OtherAPI {}

nonisolated extension OtherAPI: HTTPProvider {
    var baseURL: URL { URL(string: "https://api.example.com")! }
}
