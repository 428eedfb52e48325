import Foundation
import HalyardAsync

/// One large upload or download, through the whole pipeline.
enum Large {
    static func run(_ work: String, _ url: URL, _ file: URL) async throws {
        let api = API(url, HTTPClient(configuration: .init(memoryLimit: .max)))
        switch work {
        case "up-file": try await api.request(Route(path: "", method: .put, body: .file(file))).void()
        case "up-multipart":
            let parts: [MultipartPart] = [.text("jane", name: "user"), .file(file, name: "image")]
            try await api.request(Route(path: "", method: .post, multipart: parts)).void()
        case "down-memory": try check(try await api.request(.root).data().count)
        case "down-file":
            let saved = try await api.request(.root).download(to: file)
            try check(try saved.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0)
        case "down-stream":
            var count = 0
            for try await chunk in api.request(.root).chunks { count += chunk.count }
            try check(count)
        default: throw Client.Unexpected(what: "no work is called \(work)")
        }
    }

    private static func check(_ count: Int) throws {
        guard count == 256 << 20 else { throw Client.Unexpected(what: "\(count) bytes came") }
    }
}
