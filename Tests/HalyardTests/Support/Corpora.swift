import Foundation
import Testing

/// Public test data, which is no part of this package: the folder that `HALYARD_CORPORA` names.
enum Corpora {
    private static let folder = ProcessInfo.processInfo.environment["HALYARD_CORPORA"].map { URL(filePath: $0) }

    /// The files of a folder, at least as many as there are known to be; none, and a line that says so, without
    /// corpora.
    static func files(in path: String, prefix: String = "", atLeast count: Int) throws -> [URL] {
        guard let folder else {
            print("HALYARD_CORPORA is not set: \(path)/\(prefix)* was not read")
            return []
        }
        let files = try FileManager.default
            .contentsOfDirectory(at: folder.appending(path: path), includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix(prefix) }
        try #require(files.count >= count)
        return files
    }
}
