import HalyardHTTP

/// Records the metrics of a transfer that can be observed from outside URLSession.
struct TransferRecorder: Sendable {
    private let start = ContinuousClock.now
    private var firstByte = Duration.zero
    var sent: Int64 = 0
    var received: Int64 = 0

    mutating func recordFirstByte() { firstByte = ContinuousClock.now - start }

    var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.firstByte = firstByte
        metrics.total = ContinuousClock.now - start
        metrics.bytesSent = sent
        metrics.bytesReceived = received
        return metrics
    }
}
