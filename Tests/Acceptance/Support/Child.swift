import Foundation
import HalyardHTTP
import Testing

#if os(macOS) || os(Linux)
    /// A process of `fault-child`, and what it says.
    final class Child: Sendable {
        private let process: Process
        private let output: FileHandle

        init(_ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
                .appending(path: "fault-child")
            process.arguments = arguments
            process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            try process.run()
            (self.process, output) = (process, pipe.fileHandleForReading)
        }

        /// Waits for the next that it says.
        func line() async throws -> String { try await blocking { String(decoding: $0.availableData, as: UTF8.self) } }

        /// It ended with another status than 0, or by a signal.
        struct Failure: Error {
            let status: Int32
            let said: String
        }

        /// Waits for its end, and gives all that it said.
        ///
        /// - Throws: ``Failure``. A child under thread sanitizer ends so, though all went well, when it saw a race.
        func end() async throws -> String {
            let process = process
            return try await blocking { output in
                let said = String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
                process.waitUntilExit()
                guard process.terminationStatus == 0 else {
                    throw Failure(status: process.terminationStatus, said: said)
                }
                return said
            }
        }

        /// Ends it, and waits for that.
        func kill() async throws {
            Foundation.kill(process.processIdentifier, SIGKILL)
            await #expect(throws: Failure.self) { try await end() }
        }

        /// Runs what blocks on a thread that may.
        private func blocking(_ read: @escaping @Sendable (FileHandle) throws -> String) async throws -> String {
            let output = output
            return try await withCheckedThrowingContinuation { continuation in
                let isStarted = SystemThread.start { continuation.resume(with: Result { try read(output) }) }
                if !isStarted { continuation.resume(throwing: HTTPError(.engineUnavailable, reason: "no thread")) }
            }
        }
    }
#endif
