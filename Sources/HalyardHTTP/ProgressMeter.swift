/// Reports how far one direction has come, often enough and not for every packet.
package struct ProgressMeter: Sendable {
    private static let step: Int64 = 64 << 10

    private let direction: TransferProgress.Direction
    private let report: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    package var total: Int64?
    package private(set) var completed: Int64 = 0
    /// What was there before, and is reported with it.
    package var offset: Int64 = 0
    private var reported: Int64 = -1

    package init(
        _ direction: TransferProgress.Direction, total: Int64?,
        _ report: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    ) {
        self.direction = direction
        self.total = total
        self.report = report
    }

    package mutating func advance(to completed: Int64) {
        self.completed = completed
        if completed - reported >= Self.step || completed == total { tell() }
    }

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
