import Foundation
import HalyardEndpoints

/// The tracker's API.
struct TrackerAPI: HTTPProvider {
    let baseURL = URL(string: "https://tracker.example.com/api/v2")!
    let additionalHeaders = ["Accept": "application/json"]
    let mapper = ObjectMapper(dates: .iso8601, keys: .snakeCase)
    let failures = Failures.json(TrackerFailure.self)
    let client: HTTPClient
    let authentication: Authentication
}

/// A failure that the tracker describes.
public struct TrackerFailure: Error, Decodable, Equatable {
    /// What happened, for a program: `title_missing`.
    public let code: String
    /// What happened, for a person.
    public let message: String
}
