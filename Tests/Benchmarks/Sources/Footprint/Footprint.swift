import Foundation
import Heap

/// The memory and descriptors of this process, as Linux reports them.
public struct Footprint: CustomStringConvertible, Sendable {
    public let resident: Int
    /// The maximum resident memory since `resetPeak()`, in kB.
    public let peak: Int
    public let descriptors: Int
    /// The memory that the program has allocated and not freed, in kB; 0 if the allocator does not report it.
    public let allocated: Int

    public init() {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func kilobytes(_ name: String) -> Int {
            Int((status.split(separator: "\n").first { $0.hasPrefix(name) } ?? "").filter(\.isNumber)) ?? 0
        }
        resident = kilobytes("VmRSS:")
        peak = kilobytes("VmHWM:")
        descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        allocated = heap_allocated() / 1024
    }

    /// Whether many objects were released completely. Resident memory may have grown by 5 MB, because the allocator
    /// keeps a varying amount; allocated memory by 1 MB, because the caches of threads count as allocated; and
    /// descriptors by 2.
    public func isFlat(since before: Footprint) -> Bool {
        resident - before.resident <= 5 * 1024 && allocated - before.allocated <= 1024
            && descriptors - before.descriptors <= 2
    }

    /// Returns the footprint after the allocator has returned free memory to the system. Otherwise the amount varies.
    public static func trimmed() -> Footprint {
        typealias Trim = @convention(c) (Int) -> CInt
        if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
        return Footprint()
    }

    /// The processor time of all threads in user and system mode, in seconds. It is a separate property, because
    /// reading the memory and the descriptors also takes processor time.
    public static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    public static func resetPeak() throws {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }

    public var description: String { "\(resident) kB resident, \(allocated) kB allocated, \(descriptors) descriptors" }
}
