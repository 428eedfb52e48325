public import HalyardFoundation

/// No provider: for a request to a full URL, with no hooks and nothing added.
///
/// ```swift
/// DefaultProvider.request("https://example.com/api/user/1").responseJSON { print($0.result) }
/// ```
public struct DefaultProvider: HTTPProvider {
    /// What sends the requests.
    public let client: HTTPClient

    /// Nothing: routes of this provider name their whole URL.
    public let baseURL = URL(filePath: "/")
    /// How that is written.
    static let noBase = "file:///"

    /// Makes a provider with a client of one's own.
    public init(client: HTTPClient = .shared) { self.client = client }
}
