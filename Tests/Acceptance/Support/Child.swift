import Foundation
import HalyardHTTP
import TestSupport
import Testing

#if os(macOS) || os(Linux)
    /// A process of `fault-child`, and its output.
    final class Child: Sendable {
        private let process: ChildProcess

        init(_ arguments: String...) throws { process = try ChildProcess(ofPackage: "fault-child", arguments) }

        /// Waits for the next output, and returns it.
        func line() async throws -> String {
            try await blocking { String(decoding: $0.availableOutput(), as: UTF8.self) }
        }

        /// The process ended with another status than 0, or by a signal.
        struct Failure: Error {
            let end: ChildProcess.End
            let said: String
        }

        /// Waits for the end of the process, and returns its output.
        ///
        /// - Throws: ``Failure``. Under thread sanitizer a child also fails if a race was found.
        func end() async throws -> String {
            try await blocking {
                let (output, end) = try $0.wait()
                let said = String(decoding: output, as: UTF8.self)
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
