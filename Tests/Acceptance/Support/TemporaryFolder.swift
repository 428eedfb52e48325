import Foundation

/// A folder for one test, which is gone with it.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> URL { url.appending(path: name) }

    func write(_ content: Data, to name: String) throws -> URL {
        let file = file(name)
        try content.write(to: file)
        return file
    }

    func write(_ content: String, to name: String) throws -> URL { try write(Data(content.utf8), to: name) }

    /// All that is in it, hidden files as well.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false)).sorted() }
    }
}

extension Data {
    /// Whether it is the same, for expectations that are not to print megabytes.
    func isSame(as other: Data) -> Bool { self == other }

    /// Bytes that look alike nowhere, the same ones each time.
    static func noise(_ count: Int) -> Data {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        return Data(
            (0..<count).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state)
            })
    }
}
