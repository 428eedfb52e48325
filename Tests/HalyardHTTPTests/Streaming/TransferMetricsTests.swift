import HalyardHTTP
import Testing

struct TransferMetricsTests {
    @Test func `each time keeps its value to the nanosecond`() {
        var metrics = TransferMetrics()
        #expect(metrics.total == .zero && metrics == TransferMetrics())
        (metrics.nameLookup, metrics.connect) = (.nanoseconds(1), .microseconds(20))
        (metrics.tls, metrics.firstByte, metrics.total) = (.milliseconds(3), .seconds(4), .seconds(86_400))
        #expect(metrics.nameLookup == .nanoseconds(1) && metrics.connect == .microseconds(20))
        #expect(metrics.tls == .milliseconds(3) && metrics.firstByte == .seconds(4))
        #expect(metrics.total == .seconds(86_400) && metrics != TransferMetrics())
    }

    @Test func `a time beyond the range becomes the longest one, without overflow`() {
        var metrics = TransferMetrics()
        metrics.total = .seconds(Int64.max)
        #expect(metrics.total > .seconds(200 * 365 * 86_400))
        metrics.total = .seconds(Int64.min)
        #expect(metrics.total < .seconds(-200 * 365 * 86_400))
    }

    @Test func `times in microseconds are read as durations`() {
        var metrics = TransferMetrics()
        metrics.times.connect = .init(microseconds: 1500)
        #expect(metrics.connect == .microseconds(1500))
    }
}
