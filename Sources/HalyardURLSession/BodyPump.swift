import Dispatch
import Foundation
import HalyardHTTP

/// Reads a body, piece by piece, on a thread of its own: there, waiting for a user's stream or for a disk harms nobody.
final class BodyPump: Sendable {
    private let pipes: [BytePipe]
    private let pouring: Task<Void, Never>
    private let isStopped = Lock(false)

    /// - Parameters:
    ///   - write: takes a piece; may block; false when it wants no more.
    ///   - done: called at the end, be it the body's or `write`'s.
    init(
        _ body: HTTPBody, write: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Bool,
        done: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let streams = body.segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
        let pipes = streams.map { _ in BytePipe(capacity: 256 << 10) }
        let changed = DispatchSemaphore(value: 0)
        for pipe in pipes { pipe.onChange { changed.signal() } }
        pouring = Task { for (stream, pipe) in zip(streams, pipes) { await stream.run(into: pipe) } }
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
        if !started { done(.failure(HTTPError(.engineUnavailable, reason: "the system gives no more threads"))) }
    }

    /// Ends it, wherever it is.
    func stop() {
        isStopped.withLock { $0 = true }
        pouring.cancel()
        for pipe in pipes { pipe.finish(throwing: CancellationError()) }
    }

    private static func pump(
        _ cursor: BodyCursor, wait: () -> Void, write: (UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        var cursor = cursor
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        while true {
            switch try cursor.read(into: room) {
            case .bytes(let count):
                guard try write(UnsafeRawBufferPointer(rebasing: room.prefix(count))) else { return }
            case .nothingYet: wait()
            case .end: return
            }
        }
    }
}

#if canImport(Darwin)
    extension BodyPump {
        /// A stream that gives a body to URLSession as it is asked for; nil when the system has none.
        static func stream(_ body: HTTPBody, for exchange: Exchange) -> InputStream? {
            var (input, output): (InputStream?, OutputStream?)
            Stream.getBoundStreams(withBufferSize: 256 << 10, inputStream: &input, outputStream: &output)
            guard let input, let output else { return nil }
            // Unsafe, and sound: after this only the pump's thread has it, and `done` is the last that it calls.
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
                // First the exchange: a stream that just ended would pass for the end of the body.
                if case .failure(let error) = result { exchange.fail(error) }
                sending.close()
            }
            exchange.atEnd { pump.stop() }
            return input
        }
    }
#else
    /// A body in a temporary file, for the time of one exchange.
    enum SpoolFile {
        static func write(_ body: HTTPBody, for exchange: Exchange, then start: @escaping @Sendable (URL) -> Void) {
            let folder = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID.random().uuidString)")
            do {
                // Nobody else may read what is sent.
                try FileManager.default.createDirectory(
                    at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                exchange.atEnd { try? FileManager.default.removeItem(at: folder) }
                let file = try FileSink(folder.appending(path: "body"))
                let pump = BodyPump(body) { bytes in
                    try file.write(bytes)
                    return true
                } done: { result in
                    do {
                        try result.get()
                        try file.commit()
                        start(file.target)
                    } catch { exchange.fail(error) }
                }
                exchange.atEnd { pump.stop() }
            } catch {
                exchange.fail(
                    HTTPError(.unwritableFile(folder.path), reason: "the body could not be kept there", cause: error))
            }
        }
    }
#endif
