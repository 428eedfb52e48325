import HalyardHTTP

/// What can be measured of a transfer from outside.
struct Measure: Sendable {
    private let start = ContinuousClock.now
    private var firstByte = Duration.zero
    var sent: Int64 = 0
    var received: Int64 = 0

    mutating func sawFirstByte() { firstByte = ContinuousClock.now - start }

    var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.firstByte = firstByte
        metrics.total = ContinuousClock.now - start
        metrics.bytesSent = sent
        metrics.bytesReceived = received
        return metrics
    }
}
