import Halyard
import HalyardHTTP

/// What two requests must have in common to share a transfer.
struct TransferKey: Hashable, Sendable {
    /// The client: another one has other interceptors, certificates and connections.
    private let client: ObjectIdentifier
    private let method: HTTPMethod
    /// The URL without its fragment.
    private let url: Substring
    /// The header fields in their order, with all credentials. The names are in lower case.
    private let fields: [String]
    private let destination: HTTPRequest.Destination
    private let connectTimeout: Duration?
    private let idleTimeout: Duration?
    private let followsRedirects: Bool

    /// Makes the key of a request. `nil` for one that shares no transfer: only GET and HEAD without a body do, whose
    /// response goes to memory.
    init?(_ request: HTTPRequest, _ context: RequestContext, ignoring ignored: Set<String>) {
        guard request.method == .get || request.method == .head, request.body == nil,
            case .memory = request.destination.place
        else { return nil }
        let secrets = SecretNames(request.secretNames)
        client = context.client
        method = request.method
        url = request.address.text.prefix { $0 != "#" }
        fields = request.headers.compactMap { field in
            let name = field.name.rawValue.lowercased()
            // A field with a secret always makes a difference.
            if ignored.contains(name), !secrets.containsField(name) { return nil }
            return "\(name):\(field.value)"
        }
        destination = request.destination
        connectTimeout = context.transfer.connectTimeout
        idleTimeout = context.transfer.idleTimeout
        followsRedirects = context.transfer.followsRedirects
    }
}
