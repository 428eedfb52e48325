import Footprint
import Foundation

/// Measures wall-clock time, processor time and memory of a piece of work, and prints them as one line of JSON.
enum Measurement {
    /// The processor time that was used to load the program. It is not measured as work.
    static let cpuAtStart = Footprint.processorTime

    static func many(_ count: Int, _ inFlight: Int, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for lane in 0..<inFlight {
                let share = count / inFlight + (lane < count % inFlight ? 1 : 0)
                group.addTask {
                    var times: [Double] = []
                    times.reserveCapacity(share)
                    for _ in 0..<share {
                        let start = clock.now
                        try await work()
                        times.append((clock.now - start) / .seconds(1))
                    }
                    return times
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        report(count, (clock.now - start) / .seconds(1), p50: times.sorted()[count / 2])
    }

    static func one(_ work: @Sendable () async throws -> Void) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        try await work()
        let seconds = (clock.now - start) / .seconds(1)
        report(1, seconds, p50: seconds)
    }

    static func report(_ count: Int, _ seconds: Double, p50: Double) {
        let cpu = Footprint.processorTime - cpuAtStart
        print(
            #"{"count": \#(count), "seconds": \#(seconds), "cpu": \#(cpu), "peak": \#(Footprint().peak), "p50": \#(p50)}"#
        )
    }
}
