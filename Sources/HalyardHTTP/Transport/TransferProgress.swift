/// The progress of a body in one direction.
///
/// ```swift
/// api.request(.me).uploadProgress { progress in show(progress.fraction ?? 0) }
/// ```
public struct TransferProgress: Sendable, Equatable {
    /// The direction of a body.
    public enum Direction: Sendable {
        /// The body of the request.
        case upload
        /// The body of the response.
        case download
    }

    /// The number of bytes sent or received. Sent bytes may still be in the system's buffers.
    public let completed: Int64
    /// The total number of bytes; `nil` if it is not known.
    public let total: Int64?

    /// Creates a progress value, for custom transports.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes sent or received.
    ///   - total: The total number of bytes; `nil` if it is not known.
    public init(completed: Int64, total: Int64?) {
        self.completed = completed
        self.total = total
    }

    /// The completed fraction, from 0 to 1; `nil` if the total is not known. 1 for an empty body.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(completed) / Double($0) }
    }
}

/// Passes the progress of several requests on, one after another. The fraction never decreases, also if a request starts
/// over.
package struct RisingProgress: Sendable {
    private let onProgress: @Sendable (TransferProgress) -> Void
    private let reported = Lock((fraction: -1.0, completed: Int64(-1)))

    package init(_ onProgress: @escaping @Sendable (TransferProgress) -> Void) { self.onProgress = onProgress }

    package func callAsFunction(_ completed: Int64, of total: Int64?) {
        let progress = TransferProgress(completed: completed, total: total)
        // The lock is held during the call, so that reports stay in order.
        reported.withLock { reported in
            let isNew = progress.fraction.map { $0 > reported.fraction } ?? (completed > reported.completed)
            guard isNew else { return }
            reported = (progress.fraction ?? reported.fraction, max(completed, reported.completed))
            onProgress(progress)
        }
    }
}

/// Reports the progress of one direction at intervals.
package struct ProgressMeter: Sendable {
    private let step: Int64
    private let direction: TransferProgress.Direction
    private let report: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    package var total: Int64?
    package private(set) var completed: Int64 = 0
    /// The number of bytes that were there before, which are included in reports.
    package var offset: Int64 = 0
    private var reported: Int64 = -1

    /// Makes a meter.
    ///
    /// - Parameters:
    ///   - total: The number of bytes in all; `nil` when it is not known.
    ///   - step: The number of bytes between reports. ``catchUp()`` reports smaller amounts.
    ///   - report: Receives the progress; `nil` for no reports.
    package init(
        _ direction: TransferProgress.Direction, total: Int64?, step: Int64 = 64 << 10,
        _ report: (@Sendable (TransferProgress.Direction, TransferProgress) -> Void)?
    ) {
        self.direction = direction
        self.total = total
        self.step = step
        self.report = report
    }

    /// Records progress, and reports it if it is enough. Returns whether there is progress that was not reported.
    @discardableResult
    package mutating func advance(to completed: Int64) -> Bool {
        self.completed = completed
        if completed - reported >= step || completed == total { notify() }
        return isReportDue
    }

    private var isReportDue: Bool { report != nil && completed > max(0, reported) }

    /// Reports the progress since the last report.
    package mutating func catchUp() { if isReportDue { notify() } }

    /// Reports the end, unless it was reported.
    package mutating func finish() {
        if reported != completed { notify() }
    }

    /// Goes back to an earlier position, to send the bytes again.
    package mutating func rewind(to completed: Int64) {
        self.completed = completed
        reported = completed
    }

    private mutating func notify() {
        reported = completed
        // A server may state any length.
        let total = total.map { offset.addingReportingOverflow($0) }.flatMap { $0.overflow ? nil : $0.partialValue }
        report?(direction, TransferProgress(completed: offset + completed, total: total))
    }
}
