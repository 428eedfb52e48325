package import HalyardFoundation
import HalyardHTTP

/// Where the observer that starts a request wants the body to go, and the format that it reads.
package struct BodyDestination: Sendable {
    private let destination: HTTPRequest.Destination
    /// The media type that the observer reads. `nil` for any.
    private let mediaType: String?

    /// A file. See `HTTPRequest.Destination.file(_:resuming:)`.
    package static func file(_ url: URL, resuming: Bool = false) -> BodyDestination {
        BodyDestination(destination: .file(url, resuming: resuming), mediaType: nil)
    }

    /// A stream of any format.
    package static let stream = BodyDestination(destination: .stream, mediaType: nil)

    /// A stream of a format, which the request asks for with `Accept` unless its route or provider does.
    package static func stream(of mediaType: String) -> BodyDestination {
        BodyDestination(destination: .stream, mediaType: mediaType)
    }

    /// Changes a request as the observer needs it.
    func apply(to request: inout HTTPRequest) {
        request.destination = destination
        guard let mediaType, request.headers["Accept"] ?? "*/*" == "*/*" else { return }
        request.headers["Accept"] = mediaType
    }
}
