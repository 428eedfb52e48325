import Footprint
import Foundation
import HalyardAsync
import HalyardTesting

/// `memory MEGABYTES` sends and receives a body of that size in every way that must not keep it in memory. It ends with
/// status 1 if one of them raises the peak of resident memory by more than 32 MB, or if large headers are kept after
/// their requests. The server is another process.
@main
struct Memory {
    struct API: HTTPProvider {
        let baseURL: URL
        let client = HTTPClient(
            engine: EngineConfiguration(connectionsPerHost: 200), configuration: .init(idleTimeout: .seconds(300)))
    }

    static let limit = 32 << 10

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let size = arguments.last.flatMap({ Int($0) }) else { fatalError("memory MEGABYTES") }
        if arguments.first == "serve" { try serve(megabytes: size) } else { try await measure(megabytes: size) }
    }

    /// Responds until its standard input ends.
    private static func serve(megabytes: Int) throws {
        let body = Data(repeating: 0x61, count: megabytes << 20)
        let server = try LoopbackServer(recordLimit: 0)
            .on(.get, "/small", .text("ok")).on(.get, "/big", .data(body))
            .on(.get, "/late") { _ in
                usleep(300_000)
                return .status(200)
            }
            .on(.post, "/upload") { .json(["bytes": $0.body.count]) }
        FileHandle.standardOutput.write(Data("\(server.port)\n".utf8))
        while !FileHandle.standardInput.availableData.isEmpty {}
    }

    private static func measure(megabytes: Int) async throws {
        let server = Process()
        let (input, output) = (Pipe(), Pipe())
        server.executableURL = URL(filePath: CommandLine.arguments[0])
        server.arguments = ["serve", "\(megabytes)"]
        server.standardInput = input
        server.standardOutput = output
        try server.run()
        defer {
            try? input.fileHandleForWriting.close()
            server.waitUntilExit()
        }
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).filter(\.isNumber)
        guard let url = URL(string: "http://127.0.0.1:\(port)") else { fatalError("the server gave no port") }

        let folder = FileManager.default.temporaryDirectory.appending(path: "halyard-memory-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Ways(api: API(baseURL: url), folder: folder, size: megabytes << 20).run()
    }
}

/// The ways to send and receive a large body.
struct Ways {
    let api: Memory.API
    let folder: URL
    let size: Int

    func run() async throws {
        _ = try await api.request(Route(path: "/small")).text()
        var isGood = true
        isGood = try await way("multipart upload from a file", uploadByMultipart) && isGood
        isGood = try await way("upload from a file", uploadFile) && isGood
        isGood = try await way("download to a file", download) && isGood
        isGood = try await way("download as a stream, with a slow reader", stream) && isGood
        isGood = try await releasesHeaders() && isGood
        if !isGood { exit(1) }
    }

    private func way(_ name: String, _ body: () async throws -> Void) async throws -> Bool {
        let before = Footprint().resident
        try Footprint.resetPeak()
        try await body()
        let rise = Footprint().peak - before
        let isGood = rise <= Memory.limit
        print(
            "\(isGood ? "ok  " : "FAIL") \(name): \(size >> 20) MB, memory rose by \(rise) kB of \(Memory.limit) allowed"
        )
        return isGood
    }

    /// Whether the engine keeps no memory of large request headers. What it allocates must not grow by more than 4 MB.
    private func releasesHeaders() async throws -> Bool {
        let before = Footprint.trimmed().allocated
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                let large = String(repeating: "x", count: 60_000)
                group.addTask { _ = try await api.request(Route(path: "/late", headers: ["X-Large": large])).text() }
            }
            try await group.waitForAll()
        }
        let rise = Footprint.trimmed().allocated - before
        let isGood = rise <= 4 << 10
        print("\(isGood ? "ok  " : "FAIL") 200 requests at once with 60 kB of headers: \(rise) kB are kept")
        return isGood
    }

    private func big() throws -> URL {
        let file = folder.appending(path: "big.bin")
        if !FileManager.default.fileExists(atPath: file.path) {
            FileManager.default.createFile(atPath: file.path, contents: nil)
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: UInt64(size))
            try handle.close()
        }
        return file
    }

    private func uploadByMultipart() async throws {
        let route = Route(
            path: "/upload", method: .post, multipart: [.text("x", name: "a"), .file(try big(), name: "f")])
        let got = try await api.request(route).json()["bytes"].int ?? 0
        guard got > size, got < size + 1000 else { fatalError("the server got \(got) bytes") }
    }

    private func uploadFile() async throws {
        let route = Route(path: "/upload", method: .post, body: .file(try big()))
        let got = try await api.request(route).json()["bytes"].int
        guard got == size else { fatalError("the server got \(got ?? 0) bytes") }
    }

    private func download() async throws {
        let file = try await api.request(Route(path: "/big")).download(to: folder.appending(path: "copy.bin"))
        let got = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        guard got == size else { fatalError("the file has \(got ?? 0) bytes") }
    }

    private func stream() async throws {
        var got = 0
        for try await chunk in api.request(Route(path: "/big")).chunks {
            got += chunk.count
            // The reader is much slower than the server, but still ends in reasonable time.
            try await Task.sleep(for: .microseconds(200))
        }
        guard got == size else { fatalError("the stream had \(got) bytes") }
    }
}
