import Foundation
import TestSupport
import Testing

@testable import HalyardHTTP

/// The partial file of a download over several connections.
struct SegmentedFileTests {
    private let folder: TemporaryFolder
    private let total = SegmentPlan.blockSize * 2 + 5

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> SegmentedFile? {
        let permit = try #require(DescriptorPermit.tryForPartialFile())
        return try SegmentedFile(of: folder.file("dump"), requestHash: "hash", permit)
    }

    private func record(_ tag: String) throws -> ResumeRecord {
        let validator = try #require(StrongValidator(stored: "\"\(tag)\""))
        return ResumeRecord(requestHash: "hash", source: "source", validator: validator, total: total)
    }

    @Test("a write of an earlier body, which arrives late, is rejected")
    func late() throws {
        let file = try #require(try open())
        _ = try file.begin(try record("one"))
        let number = file.number
        #expect(try file.write(Data([1]), at: 0, of: number) == 1)
        _ = try file.begin(try record("two"))
        #expect(throws: HTTPError.cancelled) { try file.write(Data(count: 9), at: 1, of: number) }
        #expect(file.completed == 0 && file.record?.validator.text == "\"two\"")
        file.release()
        #expect(throws: HTTPError.cancelled) { try file.write(Data([1]), at: 0, of: file.number) }
    }

    @Test("only whole blocks are there after the end of the process, and nothing of another request")
    func reopened() throws {
        var file = try #require(try open())
        #expect(try file.begin(try record("one"), first: total) == 0..<total)
        _ = try file.write(Data(repeating: 7, count: Int(SegmentPlan.blockSize) + 9), at: 0, of: file.number)
        // Another one has to wait.
        #expect(try open() == nil)
        file.release()
        file = try #require(try open())
        #expect(file.completed == SegmentPlan.blockSize)
        #expect(file.record == (try record("one")))
        file.release()
        let permit = try #require(DescriptorPermit.tryForPartialFile())
        let other = try #require(try SegmentedFile(of: folder.file("dump"), requestHash: "other", permit))
        #expect(other.record == nil && other.completed == 0)
        other.release()
        #expect(PartialPlace(of: folder.file("dump")).progress()?.completed == SegmentPlan.blockSize)
    }

    @Test("a body without a record is removed when the file is released")
    func unkept() throws {
        let file = try #require(try open())
        #expect(try file.begin(nil) == nil)
        _ = try file.write(Data([1]), at: 0, of: file.number)
        file.release()
        #expect(try folder.names == [])
    }
}
