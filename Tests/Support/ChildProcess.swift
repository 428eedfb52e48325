#if os(macOS) || os(Linux)
    package import Foundation
    import HalyardHTTP

    /// A process that a test starts, and whose output it reads.
    ///
    /// It uses `posix_spawn`, because on Linux Foundation's `Process` reads the names in /proc/self/fd past the end of
    /// a buffer. With more than a thousand open descriptors it crashes now and then.
    package final class ChildProcess: Sendable {
        /// How it ended.
        package enum End: Hashable, Sendable { case exited(Int32), killed(signal: Int32) }

        /// The system did not start the process, or does not know it.
        struct Failure: Error { let call: String, code: Int32 }

        private let identifier: pid_t
        private let output: FileHandle
        private let end = Lock<End?>(nil)

        /// Children are started in sequence, so that no child inherits the pipe of another. This is a queue, because
        /// thread sanitizer reports a race for a lock that is created at its first use.
        private static let birth = DispatchQueue(label: "birth of a child process")

        /// Starts a process. Its standard input is empty, and its standard error is discarded.
        package init(_ executable: URL, _ arguments: [String]) throws {
            (identifier, output) = try Self.birth.sync {
                let pipe = Pipe()
                Self.keepDescriptors()
                let writing = pipe.fileHandleForWriting
                defer { try? writing.close() }
                return (try Self.spawn(executable.path, arguments, writing.fileDescriptor), pipe.fileHandleForReading)
            }
        }

        /// Starts a program of this package.
        package convenience init(ofPackage name: String, _ arguments: [String]) throws {
            let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            try self.init(folder.appending(path: name), arguments)
        }

        deinit { if end.withLock({ $0 }) == nil { kill() } }

        /// Waits for the next output, and returns it. Returns no bytes when the process has ended. Blocks.
        package func availableOutput() -> Data { output.availableData }

        /// Waits for the end of the process, and returns its output. Blocks.
        package func wait() throws -> (output: Data, end: End) {
            let said = try output.readToEnd() ?? Data()
            return (said, try reap())
        }

        /// Kills the process, and waits until it has ended.
        package func kill() {
            Foundation.kill(identifier, SIGKILL)
            _ = try? reap()
        }

        private func reap() throws -> End {
            try end.withLock { end in
                if let end { return end }
                var status: Int32 = 0
                while waitpid(identifier, &status, 0) < 0 {
                    guard errno == EINTR else { throw Failure(call: "waitpid", code: errno) }
                }
                let signal = status & 0x7F
                let how = signal == 0 ? End.exited(status >> 8 & 0xFF) : .killed(signal: signal)
                end = how
                return how
            }
        }
    }

    extension ChildProcess {
        /// Sets the close-on-exec flag on all descriptors of this process, so that the child does not inherit them.
        private static func keepDescriptors() {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
            for case let descriptor? in names.map({ CInt($0) }) where descriptor > 2 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            }
        }

        private static func spawn(_ path: String, _ arguments: [String], _ output: CInt) throws -> pid_t {
            #if os(Linux)
                var actions = posix_spawn_file_actions_t()
            #else
                var actions: posix_spawn_file_actions_t?
            #endif
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output, 1)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)

            // A child that crashes on purpose writes no backtrace, which takes a minute.
            let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            let words = ([path] + arguments).map { strdup($0) }
            let settings = environment.map { strdup("\($0)=\($1)") }
            defer { for text in words + settings { free(text) } }
            var identifier = pid_t()
            let code = posix_spawn(&identifier, path, &actions, nil, words + [nil], settings + [nil])
            guard code == 0 else { throw Failure(call: "posix_spawn", code: code) }
            return identifier
        }
    }
#endif
