/// How far a body has come, in one direction.
public struct TransferProgress: Sendable, Hashable {
    /// Upward, the body of the request; or downward, that of the response.
    public enum Direction: Sendable, Hashable {
        /// The body of the request, on its way to the server.
        case upload
        /// The body of the response.
        case download
    }

    /// How many bytes went by. Upward they may still be on their way through the system's buffers.
    public let completed: Int64
    /// How many there are in all; `nil` when that is not known beforehand.
    public let total: Int64?

    /// Makes a progress, as a transport does.
    public init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// ``completed`` of ``total``, 0...1; `nil` when the total is not known. Nothing of nothing is all of it.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(completed) / Double($0) }
    }
}
