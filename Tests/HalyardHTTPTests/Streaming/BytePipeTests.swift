import Foundation
import HalyardHTTP
import Testing

struct BytePipeTests {
    private let pipe = BytePipe(capacity: 8)

    private func write(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { pipe.tryWrite($0) } }

    /// Reads with an announced length: returns the bytes, "..." for none yet, or "" at the end.
    private func read(_ announced: Int64) throws -> String {
        var room = [UInt8](repeating: 0, count: 5)
        let reading = try room.withUnsafeMutableBytes { try pipe.tryRead($0, announced: announced) }
        return switch reading {
        case .bytes(let count): String(decoding: room.prefix(count), as: UTF8.self)
        case .nothingYet: "..."
        case .end: ""
        }
    }

    @Test func `the last announced byte is delivered only after the writer has ended`() throws {
        write("abcdefg")
        #expect(try read(7) == "abcde" && read(2) == "f" && read(1) == "...")
        pipe.finish()
        #expect(try read(1) == "g" && read(0).isEmpty)
    }

    @Test func `more or fewer bytes than announced are a mismatch`() throws {
        write("abc")
        #expect(throws: BytePipe.LengthMismatch.self) { try read(2) }
        #expect(try read(4) == "abc")
        pipe.finish()
        #expect(throws: BytePipe.LengthMismatch.self) { try read(1) }
    }

    @Test func `a writer's error is delivered, whatever length was announced`() throws {
        write("abc")
        pipe.finish(throwing: CancellationError())
        #expect(try read(4) == "abc")
        #expect(throws: CancellationError.self) { try read(1) }
    }

    @Test func `a byte is not delivered if the writer fails right after it`() throws {
        write("abc")
        #expect(try read(3) == "ab")
        pipe.finish(throwing: CancellationError())
        #expect(throws: CancellationError.self) { try read(1) }
    }

    @Test func `an engine may write a reserve beyond the capacity and is notified once half the pipe is free`()
        async throws
    {
        let pipe = BytePipe(capacity: 4, reserve: 2)
        let told = Lock(0)
        pipe.onChange { told.withLock { $0 += 1 } }
        func write(_ text: String) -> BytePipe.WriteResult { Array(text.utf8).withUnsafeBytes { pipe.tryWrite($0) } }

        #expect(write("abc") == .accepted && !pipe.isFull())
        #expect(write("de") == .accepted && pipe.isFull())
        #expect(write("f") == .accepted && write("g") == .full)
        #expect(try await pipe.read() == Data("abcdef".utf8))
        #expect(told.withLock { $0 } == 1 && !pipe.isFull() && write("g") == .accepted)
        pipe.close()
        #expect(!pipe.isFull() && write("h") == .enough)
    }

    #if os(Linux)
        @Test func `a pipe that never empties holds memory only for its current elements`() throws {
            let pipe = BytePipe(capacity: 256 << 10)
            let chunk = [UInt8](repeating: 1, count: 64 << 10)
            var room = [UInt8](repeating: 0, count: 64 << 10)
            _ = chunk.withUnsafeBytes { pipe.tryWrite($0) }
            let before = try resident()
            for _ in 0..<16_000 {
                _ = chunk.withUnsafeBytes { pipe.tryWrite($0) }
                _ = try room.withUnsafeMutableBytes { try pipe.tryRead($0) }
            }
            #expect(try resident() - before < 256 << 20)  // of the 1 GiB that was written and read
        }

        /// The memory of the process, in bytes.
        private func resident() throws -> Int {
            let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
            return try #require(Int(pages[1])) * 4096
        }
    #endif
}
