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

/// Reports how far one direction has come, often enough and not for every packet.
package struct ProgressMeter: Sendable {
    private let step: Int64
    private let direction: TransferProgress.Direction
    private let report: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    package var total: Int64?
    package private(set) var completed: Int64 = 0
    /// What was there before, and is reported with it.
    package var offset: Int64 = 0
    private var reported: Int64 = -1

    /// - Parameter step: how many bytes are worth a report of their own. Of what is less ``catchUp()`` tells.
    package init(
        _ direction: TransferProgress.Direction, total: Int64?, step: Int64 = 64 << 10,
        _ report: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    ) {
        self.direction = direction
        self.total = total
        self.step = step
        self.report = report
    }

    package mutating func advance(to completed: Int64) {
        self.completed = completed
        if completed - reported >= step || completed == total { tell() }
    }

    /// Whether more has moved than somebody was told who wants to know.
    package var hasNews: Bool { report != nil && completed > max(0, reported) }

    /// Reports what has moved since the last report.
    package mutating func catchUp() { if hasNews { tell() } }

    /// Reports the end, unless that is known.
    package mutating func finish() {
        if reported != completed { tell() }
    }

    /// Goes back: what was sent is sent again.
    package mutating func rewind(to completed: Int64) {
        self.completed = completed
        reported = completed
    }

    private mutating func tell() {
        reported = completed
        report?(direction, TransferProgress(completed: offset + completed, total: total.map { offset + $0 }))
    }
}
