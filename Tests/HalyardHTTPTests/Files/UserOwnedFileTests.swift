import Foundation
import Testing

@testable import HalyardHTTP

/// Files that belong to the user, in folders where other users could create files with the same names.
struct UserOwnedFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "halyard-\(UUID().uuidString)").path

    @Test("a renamed or replaced file is no longer found at its path, and only one lock is granted")
    func standing() throws {
        defer { for name in [path, path + "2"] { try? FileManager.default.removeItem(atPath: name) } }
        let file = try UserOwnedFile(path, O_RDWR | O_CREAT)
        defer { file.release() }
        #expect(file.isStill(at: path))
        #expect(try file.lock())
        do {
            let second = try UserOwnedFile(path, O_RDWR)
            defer { second.release() }
            #expect(try !second.lock())
        }
        try FileManager.default.moveItem(atPath: path, toPath: path + "2")
        #expect(!file.isStill(at: path) && file.isStill(at: path + "2"))
        let other = try UserOwnedFile(path, O_RDWR | O_CREAT)
        defer { other.release() }
        #expect(!file.isStill(at: path) && other.isStill(at: path))
        #expect(try other.lock())
    }

    @Test("a child process that inherits the descriptor does not hold the lock") func inherited() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try UserOwnedFile(path, O_RDWR | O_CREAT)
        #expect(try file.lock())
        // A child process has this descriptor between its `fork` and its `exec`.
        let inherited = dup(file.descriptor)
        defer { close(inherited) }
        file.release()
        let next = try UserOwnedFile(path, O_RDWR)
        defer { next.release() }
        #expect(try next.lock())
    }

    @Test("bytes are written at an offset and read up to a limit") func content() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let file = try UserOwnedFile(path, O_RDWR | O_CREAT)
            defer { file.release() }
            try Array("hello".utf8).withUnsafeBytes { try file.write($0, at: 0) }
            try Array("p me".utf8).withUnsafeBytes { try file.write($0, at: 3) }
            try file.truncate(to: 6)
        }
        let file = try UserOwnedFile(path, O_RDONLY)
        defer { file.release() }
        #expect(file.length == 6 && file.content(limit: 6) == Array("help m".utf8))
        #expect(file.content(limit: 5).isEmpty)
    }
}
