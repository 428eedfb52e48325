import Halyard
import HalyardHTTP

/// The transfers that are shared, and their readers. It decides only.
struct Transfers<Key: Hashable & Sendable, Reader: Sendable>: Sendable {
    /// Names a transfer.
    typealias ID = Int

    /// Names a reader of a transfer.
    struct Ticket: Sendable {
        let transfer: ID
        fileprivate let reader: Int
        /// Whether the reader is the first, which starts the transfer.
        var isFirst: Bool { reader == 0 }
    }

    private struct Transfer: Sendable {
        let key: Key
        let origin: Origin
        var readers: [Int: Reader] = [:]
        var lastReader = -1
        var task: Task<Void, Never>?
    }

    private var transfers: [ID: Transfer] = [:]
    /// The transfers that further requests may join.
    private var joinable: [Key: ID] = [:]
    private var lastID = 0

    var count: Int { transfers.count }

    var readerCount: Int { transfers.values.reduce(0) { $0 + $1.readers.count } }

    /// Adds a reader to the transfer of its key, or to a new one.
    mutating func join(_ key: Key, _ origin: Origin, _ reader: Reader) -> Ticket {
        let id = joinable[key] ?? begin(key, origin)
        var transfer = transfers.removeValue(forKey: id) ?? Transfer(key: key, origin: origin)
        transfer.lastReader += 1
        transfer.readers[transfer.lastReader] = reader
        transfers[id] = transfer
        return Ticket(transfer: id, reader: transfer.lastReader)
    }

    private mutating func begin(_ key: Key, _ origin: Origin) -> ID {
        lastID += 1
        joinable[key] = lastID
        return lastID
    }

    /// Keeps the task of a transfer. Returns `false` if the transfer has ended, or has no readers any more.
    mutating func keep(_ task: Task<Void, Never>, of id: ID) -> Bool {
        guard transfers[id] != nil else { return false }
        transfers[id]?.task = task
        return true
    }

    /// Removes a reader. Returns the task to cancel, if it was the last reader.
    mutating func leave(_ ticket: Ticket) -> Task<Void, Never>? {
        guard transfers[ticket.transfer]?.readers.removeValue(forKey: ticket.reader) != nil,
            transfers[ticket.transfer]?.readers.isEmpty == true
        else { return nil }
        return remove(ticket.transfer)?.task
    }

    mutating func end(_ id: ID) -> [Reader] { remove(id).map { Array($0.readers.values) } ?? [] }

    func readers(of id: ID) -> [Reader] { transfers[id].map { Array($0.readers.values) } ?? [] }

    /// Lets no further request join the transfers from an origin.
    mutating func close(_ origin: Origin) {
        joinable = joinable.filter { transfers[$0.value]?.origin != origin }
    }

    private mutating func remove(_ id: ID) -> Transfer? {
        guard let transfer = transfers.removeValue(forKey: id) else { return nil }
        if joinable[transfer.key] == id { joinable[transfer.key] = nil }
        return transfer
    }
}

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
            case .memory = request.destination
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
