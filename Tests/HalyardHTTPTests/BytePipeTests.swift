import Foundation
import HalyardHTTP
import Testing

struct BytePipeTests {
    #if os(Linux)
        @Test func `one that is never empty holds no more than what waits in it`() throws {
            let pipe = BytePipe(capacity: 256 << 10)
            let chunk = [UInt8](repeating: 1, count: 64 << 10)
            var room = [UInt8](repeating: 0, count: 64 << 10)
            _ = chunk.withUnsafeBytes { pipe.tryWrite($0) }
            let before = try resident()
            for _ in 0..<16_000 {
                _ = chunk.withUnsafeBytes { pipe.tryWrite($0) }
                _ = try room.withUnsafeMutableBytes { try pipe.tryRead($0) }
            }
            #expect(try resident() - before < 256 << 20)  // of 1 GiB that went through
        }

        /// What the process has in memory, in bytes.
        private func resident() throws -> Int {
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return try #require(Int(pages[1])) * 4096
        }
    #endif
}
