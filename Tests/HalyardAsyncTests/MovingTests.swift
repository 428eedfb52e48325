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

    /// A move operation that the file system does not support.
    private static func without(_ failure: CInt) -> ExclusiveMove { { _, _ in failure } }

    private func isWhole(_ file: URL) throws -> Bool {
        try Data(contentsOf: file) == Data(repeating: 7, count: 600_000)
    }

    @Test(
        "a file is moved by rename where there are no hard links, and else copied; an existing file is never replaced",
        arguments: 0...2, [EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS, EMLINK, EXDEV, EINVAL])
    func fallbacks(first: Int, failure: CInt) throws {
        let old = try folder.write("old", to: "a.txt")
        let ways: [ExclusiveMove] = (0..<first).map { _ in Self.without(failure) } + [ExclusiveMove].system[first...]
        let moved = try source.moved(into: folder.url, as: "a.txt", by: ways)
        #expect(moved.lastPathComponent == "a 2.txt")
        #expect(try isWhole(moved) && String(contentsOf: old, encoding: .utf8) == "old")
        #expect(try folder.names == ["a 2.txt", "a.txt"])
    }

    @Test func `each way of moving refuses an existing name, and a copy keeps the file's mode`() throws {
        let old = try folder.write("old", to: "old")
        #expect(chmod(source.path, 0o640) == 0)
        for way in [ExclusiveMove].system { #expect(way(source.path, old.path) == EEXIST) }
        #expect(try String(contentsOf: old, encoding: .utf8) == "old" && isWhole(source))
        let copy = [ExclusiveMove].system[2]
        #expect(copy(source.path, folder.file("copy").path) == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("copy").path)[.posixPermissions]
        #expect(mode as? Int == 0o640)
        #expect(copy(source.path, folder.file("again").path) == ENOENT)
        #expect(try folder.names == ["copy", "old"])
    }

    @Test func `a copy that fails is removed, and the download is kept`() throws {
        let failing = copied { _, to in
            #expect(write(to, "half", 4) == 4)
            return ENOSPC
        }
        #expect(failing(source.path, folder.file("a.txt").path) == ENOSPC)
        #expect(try folder.names == [source.lastPathComponent] && isWhole(source))
        #expect(throws: HTTPError.self) { try source.moved(into: folder.url, as: "a.txt", by: [failing]) }
        #expect(try folder.names.count == 1 && isWhole(folder.file(#require(folder.names.first))))
    }

    @Test func `if every way of moving fails, the download is kept and the error says where`() throws {
        let ways = [Self.without(EPERM), Self.without(ENOSPC)]
        let error = #expect(throws: HTTPError.self) { try source.moved(into: folder.url, as: "a.txt", by: ways) }
        #expect(error?.kind == .unwritableFile(folder.file("a.txt").path))
        #expect(error?.reason == String(cString: strerror(ENOSPC)))
        let name = try #require(folder.names.first)
        #expect(try folder.names.count == 1 && name.hasPrefix("download-") && isWhole(folder.file(name)))
        #expect(error?.suggestion?.contains(folder.file(name).path) == true)
    }

    @Test func `a name that no file can have does not cost the download`() throws {
        let name = String(repeating: "n", count: 300)
        let error = #expect(throws: HTTPError.self) { try source.moved(into: folder.url, as: name) }
        #expect(error?.suggestion?.contains("complete") == true)
        #expect(try isWhole(folder.file(#require(folder.names.first))))
    }

    @Test func `a missing folder is an error, and the source is kept`() throws {
        #expect(throws: HTTPError.self) { try source.moved(into: folder.file("none"), as: "a.txt") }
        #expect(try isWhole(source))
    }
}
