import Foundation

/// Sends many requests, and prints their rate and the processor time of each.
func measure(_ get: @escaping @Sendable () async throws -> Int) async throws {
    let (count, width) = (Int(CommandLine.arguments[2]) ?? 0, Int(CommandLine.arguments[3]) ?? 1)
    let size = try await get()
    let (processor, start) = (processorTime(), ContinuousClock.now)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<width {
            group.addTask {
                for _ in 0..<(count / width) where try await get() != size { fatalError("a wrong response") }
            }
        }
        try await group.waitForAll()
    }
    let wall = start.duration(to: .now) / .seconds(1)
    print(Double(count) / wall, (processorTime() - processor) / Double(count))
}

/// The microseconds of processor time of all threads.
private func processorTime() -> Double {
    var usage = rusage()
    getrusage(0, &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
}

let base = URL(string: CommandLine.arguments[1]) ?? URL(filePath: "/")
