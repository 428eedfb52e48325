import Foundation
import HalyardHTTP
import TestSupport
import Testing

#if os(macOS) || os(Linux)
    /// A process of `fault-child`, and its output.
    final class Child: Sendable {
        private let process: ChildProcess
        /// The bytes that are read and not returned yet. A read of a pipe can end in the middle of a line.
        private let unread = Lock(Data())

        init(_ arguments: String...) throws { process = try ChildProcess(ofPackage: "fault-child", arguments) }

        /// Waits for the next line, and returns it without its end. The last line may have no end. Returns an empty
        /// text when the process has ended.
        func line() async throws -> String {
            let unread = unread
            return try await blocking { process in
                var data = unread.withLock { $0 }
                while data.firstIndex(of: UInt8(ascii: "\n")) == nil {
                    let more = process.availableOutput()
                    if more.isEmpty { break }
                    data += more
                }
                let end = data.firstIndex(of: UInt8(ascii: "\n")) ?? data.endIndex
                let rest = Data(data[end...].dropFirst())
                unread.withLock { $0 = rest }
                return String(decoding: data[..<end], as: UTF8.self)
            }
        }

        /// The process ended with another status than 0, or by a signal.
        struct Failure: Error {
            let end: ChildProcess.End
            let said: String
        }

        /// Waits for the end of the process, and returns the output that ``line()`` has not returned.
        ///
        /// - Throws: ``Failure``. Under thread sanitizer a child also fails if a race was found.
        func end() async throws -> String {
            let unread = unread
            return try await blocking {
                let (output, end) = try $0.wait()
                let said = String(decoding: unread.withLock { $0 } + output, as: UTF8.self)
                guard end == .exited(0) else { throw Failure(end: end, said: said) }
                return said
            }
        }

        /// Kills the process, and waits until it has ended.
        func kill() async throws {
            try await blocking { $0.kill() }
            await #expect(throws: Failure.self) { try await end() }
        }

        /// Runs a blocking closure on a thread that may block.
        private func blocking<Value: Sendable>(
            _ body: @escaping @Sendable (ChildProcess) throws -> Value
        ) async throws -> Value {
            let process = process
            return try await withCheckedThrowingContinuation { continuation in
                let isStarted = SystemThread.start { continuation.resume(with: Result { try body(process) }) }
                if !isStarted { continuation.resume(throwing: HTTPError(.engineUnavailable, reason: "no thread")) }
            }
        }
    }
#endif
