public import HalyardFoundation

/// A provider for requests to absolute URLs. It has no hooks and adds nothing to requests.
///
/// ```swift
/// DefaultProvider.request("https://example.com/api/user/1").responseJSON { print($0.result) }
/// ```
public struct DefaultProvider: HTTPProvider {
    /// The client that sends the requests.
    public let client: HTTPClient

    /// A placeholder. Routes of this provider have absolute URLs.
    public let baseURL = URL(filePath: "/")
    /// The text of the placeholder.
    static let placeholderBase = "file:///"

    /// Makes a provider.
    ///
    /// - Parameter client: Sends the requests. Defaults to ``HTTPClient/shared``.
    public init(client: HTTPClient = .shared) { self.client = client }
}
