import Foundation
import Testing

/// Public test data, which is not part of this package, in the folder that `HALYARD_CORPORA` names.
enum Corpora {
    private static let folder = ProcessInfo.processInfo.environment["HALYARD_CORPORA"].map { URL(filePath: $0) }

    /// Returns the files of a folder, and checks their minimum number. Without corpora, prints a line and returns none.
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
