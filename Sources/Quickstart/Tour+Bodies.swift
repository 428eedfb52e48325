import Foundation
import HalyardAsync

// Large bodies, which are never in memory as a whole.
extension Tour {
    func upload(_ api: MusicAPI) async throws {
        let megabytes = 64
        let file = FileManager.default.temporaryDirectory.appending(path: "quickstart-\(UUID().uuidString).mp3")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(megabytes) << 20)
        try handle.close()

        let request = api.request(.upload(file)).start()
        var bar = ProgressBar(title: "     \(megabytes) MB")
        for await progress in request.progress(.upload) { bar.show(progress.fraction ?? 0) }
        bar.finish()
        let bytes = try await request.json()["bytes"].int ?? 0
        try check("A multipart upload", bytes > megabytes << 20, "the server counted \(bytes) bytes")
    }

    func download(_ api: MusicAPI) async throws {
        var (bytes, chunks) = (0, 0)
        for try await chunk in api.request(.dump).chunks {
            bytes += chunk.count
            chunks += 1
        }
        try check("A streamed download", bytes == 16 << 20, "\(bytes) bytes in \(chunks) chunks")
    }
}

/// A progress bar in a terminal. Without a terminal it prints a line for each quarter.
struct ProgressBar {
    let title: String
    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private var shown = -1

    init(title: String) { self.title = title }

    mutating func show(_ fraction: Double) {
        let step = isTerminal ? Int(fraction * 40) : Int(fraction * 4)
        guard step > shown else { return }
        shown = step
        if isTerminal {
            let bar = String(repeating: "#", count: step) + String(repeating: ".", count: 40 - step)
            FileHandle.standardOutput.write(Data("\r\(title) [\(bar)] \(Int(fraction * 100)) %".utf8))
        } else {
            print("\(title): \(step * 25) %")
        }
    }

    func finish() {
        if isTerminal { print() }
    }
}
