import Foundation
import HalyardHTTP

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

        /// Waits for its end, and gives all that it said.
        func end() async throws -> String {
            let process = process
            return try await blocking { output in
                let said = try output.readToEnd() ?? Data()
                process.waitUntilExit()
                return String(decoding: said, as: UTF8.self)
            }
        }

        func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

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
