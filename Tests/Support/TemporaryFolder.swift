package import Foundation

/// A folder for one test, which is removed with this object.
package final class TemporaryFolder: Sendable {
    package let url = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID().uuidString)")

    package init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    package func file(_ name: String) -> URL { url.appending(path: name) }

    package func write(_ content: Data, to name: String) throws -> URL {
        let file = file(name)
        try content.write(to: file)
        return file
    }

    package func write(_ content: String, to name: String) throws -> URL { try write(Data(content.utf8), to: name) }

    /// The names of all files in the folder, including hidden files.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false)).sorted() }
    }
}
