import Foundation
import TestSupport
import Testing

@testable import HalyardHTTP

/// Files of killed processes, and files that must not be mistaken for them.
struct LeftoverTests {
    private let folder: TemporaryFolder
    private let prefix = ".halyard-"

    init() throws { folder = try TemporaryFolder() }

    private func sweep(entries: Int = 4096, files: Int = 16) {
        Leftovers.remove(from: folder.url.path, prefix: prefix, entryLimit: entries, fileLimit: files)
    }

    @Test func `a leftover file without a lock is removed when the next one is created in its folder`() throws {
        _ = try folder.write("half", to: prefix + UUID().uuidString)
        _ = try folder.write("half", to: prefix + UUID().uuidString)
        let file = try AtomicFile(folder.file("dump"))
        #expect(try folder.names.count == 1)
        try file.commit()
        #expect(try folder.names == ["dump"])
    }

    @Test func `a file being written or just renamed to its target is kept`() throws {
        let files = try (0..<20).map { try AtomicFile(folder.file("dump \($0)")) }
        // As in download(into:), the target itself has the name of a temporary file until it is moved.
        let place = folder.file(prefix + UUID().uuidString)
        let moving = try AtomicFile(place)
        try moving.commit()
        sweep(files: 100)
        #expect(try folder.names.count == 21)
        for file in files { try file.commit() }
        sweep(files: 100)
        #expect(try folder.names.filter { $0.hasPrefix("dump") }.count == 20 && folder.names.count == 21)
        withExtendedLifetime(moving) {}
    }

    @Test func `files of other names and kinds are kept, and no link is followed`() throws {
        let uuid = UUID().uuidString
        let victim = try folder.write("precious", to: "victim")
        let names = [
            "dump", prefix + "mine", prefix + uuid + "x", "x" + prefix + uuid, prefix + String(uuid.dropLast()),
            ".cookies" + prefix + uuid,
        ]
        for name in names { _ = try folder.write("mine", to: name) }
        let link = folder.file(prefix + UUID().uuidString)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: victim)
        // A hard link to a file of the user.
        try FileManager.default.linkItem(at: victim, to: folder.file(prefix + UUID().uuidString))
        try FileManager.default.createDirectory(
            at: folder.file(prefix + UUID().uuidString), withIntermediateDirectories: false)
        #expect(mkfifo(folder.file(prefix + UUID().uuidString).path, 0o600) == 0)
        sweep()
        #expect(try folder.names.count == names.count + 5)
        #expect(try String(contentsOf: victim, encoding: .utf8) == "precious")
    }

    @Test func `removing leftovers is limited for each new file and continues with the next one`() throws {
        for _ in 0..<40 { _ = try folder.write("", to: prefix + UUID().uuidString) }
        sweep()
        #expect(try folder.names.count == 24)
        sweep()
        sweep()
        #expect(try folder.names.isEmpty)
        for _ in 0..<10 { _ = try folder.write("", to: prefix + UUID().uuidString) }
        sweep(entries: 5)
        #expect(try folder.names.count >= 5)
        Leftovers.remove(from: folder.file("none").path, prefix: prefix)
    }

    @Test func `files created at the same time never remove each other`() async throws {
        await onThreads(8) { thread in
            for round in 0..<50 {
                do {
                    let file = try AtomicFile(folder.file("\(thread)-\(round)"))
                    try Data("whole".utf8).withUnsafeBytes { try file.write($0) }
                    try file.commit()
                } catch { Issue.record(error) }
            }
        }
        #expect(try folder.names.count == 400)
    }
}
