import Foundation
import Halyard
import HalyardCache

/// Measures nanoseconds for a hit in a cache on disk, and for reading its file with system calls and with Foundation, in
/// turns.
enum CachedOnDisk {
    static func measure(_ count: Int, size: Int) async throws {
        guard let url = URL(string: "https://api.example.com/v1/small") else { return }
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let request = try HTTPRequest(.get, url, headers: ["Accept": "*/*", "User-Agent": "Halyard"])
        let cache = try HTTPCache.disk(at: folder)
        let client = HTTPClient(
            transport: Cached.Instant(url: url, cacheControl: "max-age=99999999", size: size),
            configuration: .init(policies: [.cache(cache)]))
        _ = try await client.send(request)
        await cache.flush()
        guard
            let name = FileManager.default.enumerator(atPath: folder.path)?.first(where: {
                ($0 as? String)?.hasSuffix(".response") == true
            }) as? String
        else { throw Client.Unexpected(what: "no file was written") }
        let path = folder.appending(path: name).path

        var hit = Duration.zero
        var read = Duration.zero
        var foundation = Duration.zero
        let clock = ContinuousClock()
        for _ in 0..<10 {
            var start = clock.now
            for _ in 0..<count / 10 {
                let response = try await client.send(request)
                guard response.data.count == size, response.cacheStatus?.isHit == true else {
                    throw Client.Unexpected(what: "no hit")
                }
            }
            hit += clock.now - start
            start = clock.now
            for _ in 0..<count / 10 {
                guard bytes(of: path).count > size else { throw Client.Unexpected(what: "a file is short") }
            }
            read += clock.now - start
            start = clock.now
            for _ in 0..<count / 10 {
                guard try Data(contentsOf: URL(filePath: path)).count > size else {
                    throw Client.Unexpected(what: "a file is short")
                }
            }
            foundation += clock.now - start
        }
        let (hits, reads) = (hit / .nanoseconds(count), read / .nanoseconds(count))
        let datas = foundation / .nanoseconds(count)
        print(#"{"size": \#(size), "hit": \#(hits), "read": \#(reads), "Data(contentsOf:)": \#(datas)}"#)
    }

    private static func bytes(of path: String) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, length in
            length = max(0, Foundation.read(descriptor, buffer.baseAddress, buffer.count))
        }
    }
}
