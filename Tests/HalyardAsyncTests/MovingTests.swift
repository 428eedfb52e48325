import Foundation
import Halyard
import TestSupport
import Testing

@testable import HalyardAsync

/// A complete download is moved to its name on every kind of file system, and is never lost.
struct MovingTests {
    private let folder: TemporaryFolder
    private let source: URL

    init() throws {
        folder = try TemporaryFolder()
        source = try folder.write(Data(repeating: 7, count: 600_000), to: ".halyard-\(UUID().uuidString)")
    }

    /// A file system without hard links.
    private static func without(_ failure: CInt) -> (String, String) -> CInt {
        { _, _ in
            errno = failure
            return -1
        }
    }

    private func isWhole(_ file: URL) throws -> Bool {
        try Data(contentsOf: file) == Data(repeating: 7, count: 600_000)
    }

    @Test(
        "a file is moved by rename without hard links, and an existing file is never replaced",
        arguments: [nil, EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS, EMLINK, EXDEV, EINVAL] as [CInt?])
    func fallbacks(failure: CInt?) throws {
        let old = try folder.write("old", to: "a.txt")
        #expect(chmod(source.path, 0o640) == 0)
        let moved =
            if let failure {
                try source.moved(into: folder.url, as: "a.txt", linking: Self.without(failure))
            } else {
                try source.moved(into: folder.url, as: "a.txt")
            }
        #expect(moved.lastPathComponent == "a 2.txt")
        #expect(try isWhole(moved) && String(contentsOf: old, encoding: .utf8) == "old")
        #expect(try folder.names == ["a 2.txt", "a.txt"])
        let mode = try FileManager.default.attributesOfItem(atPath: moved.path)[.posixPermissions]
        #expect(mode as? Int == 0o640)
    }

    @Test func `a download that cannot be renamed leaves no empty file under its name`() throws {
        let missing = folder.file(".halyard-gone")
        let error = #expect(throws: HTTPError.self) { try missing.moved(into: folder.url, as: "a.txt") }
        #expect(error?.kind == .unwritableFile(folder.file("a.txt").path))
        #expect(error?.reason == String(cString: strerror(ENOENT)))
        #expect(try folder.names == [source.lastPathComponent] && isWhole(source))
    }

    @Test func `a download whose name is too long for a file is kept under another name`() throws {
        let name = String(repeating: "n", count: 300)
        let error = #expect(throws: HTTPError.self) { try source.moved(into: folder.url, as: name) }
        let kept = try #require(folder.names.first)
        #expect(try kept.hasPrefix("download-") && folder.names.count == 1 && isWhole(folder.file(kept)))
        #expect(error?.suggestion?.contains(folder.file(kept).path) == true)
    }

    @Test func `a missing folder fails the move and keeps the source`() throws {
        #expect(throws: HTTPError.self) { try source.moved(into: folder.file("none"), as: "a.txt") }
        #expect(try isWhole(source))
    }
}
