import Dispatch
import Foundation
import HalyardHTTP

/// Reads a body piece by piece on a thread of its own, which may block on the user's stream or on a disk.
final class BodyPump: Sendable {
    private let pipes: [BytePipe]
    private let bodyTask: Task<Void, Never>
    private let isStopped = Lock(false)

    /// Starts to read a body.
    ///
    /// - Parameters:
    ///   - write: Receives each piece, on the pump's thread. It may block. It returns `false` to stop.
    ///   - done: Called once at the end, with an error if reading or `write` has failed.
    init(
        _ body: HTTPBody, write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Bool,
        done: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let streams = body.segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
        let pipes = streams.map { _ in BytePipe(capacity: 256 << 10) }
        let changed = DispatchSemaphore(value: 0)
        for pipe in pipes { pipe.onChange { changed.signal() } }
        bodyTask = Task { for (stream, pipe) in zip(streams, pipes) { await stream.run(into: pipe) } }
        self.pipes = pipes
        let cursor = BodyCursor(body, pipes: pipes)
        let started = SystemThread.start { [isStopped] in
            done(
                Result {
                    try Self.pump(
                        cursor, wait: { changed.wait() },
                        write: { bytes in try !isStopped.withLock { $0 } && write(bytes) })
                })
        }
        if !started { done(.failure(HTTPError(.engineUnavailable, reason: "the system cannot start another thread"))) }
    }

    func stop() {
        isStopped.withLock { $0 = true }
        bodyTask.cancel()
        for pipe in pipes { pipe.finish(throwing: CancellationError()) }
    }

    private static func pump(
        _ cursor: BodyCursor, wait: () -> Void, write: (UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var cursor = cursor
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            switch try cursor.read(into: buffer) {
            case .bytes(let count):
                guard try write(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) else { return }
            case .nothingYet: wait()
            case .end: return
            }
        }
    }
}

#if canImport(Darwin)
    extension BodyPump {
        /// Makes a stream from which URLSession reads a body. `nil` if the system cannot make one.
        static func stream(_ body: HTTPBody, for transfer: SessionTransfer) -> InputStream? {
            var (input, output): (InputStream?, OutputStream?)
            Stream.getBoundStreams(withBufferSize: 256 << 10, inputStream: &input, outputStream: &output)
            guard let input, let output else { return nil }
            // `nonisolated(unsafe)` is sound: from now on only the pump's thread uses the stream, and `done` comes
            // last.
            nonisolated(unsafe) let sending = output
            sending.open()
            let pump = BodyPump(body) { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    guard let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress else { return true }
                    let count = sending.write(start.assumingMemoryBound(to: UInt8.self), maxLength: rest.count)
                    guard count > 0 else { return false }
                    rest = rest.dropFirst(count)
                }
                return true
            } done: { result in
                // The transfer fails first: URLSession would take the end of the stream for the end of the body.
                if case .failure(let error) = result { transfer.fail(error) }
                sending.close()
            }
            transfer.onEnd { pump.stop() }
            return input
        }
    }
#else
    /// Writes a body to a temporary file, which is removed when the transfer ends.
    enum SpoolFile {
        /// Writes a body, and starts the transfer with the URL of the file.
        static func write(
            _ body: HTTPBody, for transfer: SessionTransfer, then start: @escaping @Sendable (URL) -> Void
        ) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID.random().uuidString)")
            do {
                // Other users must not read the body.
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                transfer.onEnd { try? FileManager.default.removeItem(at: folder) }
                let file = try AtomicFile(folder.appending(path: "body"))
                let pump = BodyPump(body) { bytes in
                    try file.write(bytes)
                    return true
                } done: { result in
                    do {
                        try result.get()
                        try file.commit()
                        start(file.target)
                    } catch { transfer.fail(error) }
                }
                transfer.onEnd { pump.stop() }
            } catch {
                transfer.fail(
                    HTTPError(
                        .unwritableFile(folder.path),
                        reason: "the body cannot be stored there: "
                            + ((error as? HTTPError)?.reason ?? error.localizedDescription), cause: error))
            }
        }
    }
#endif
