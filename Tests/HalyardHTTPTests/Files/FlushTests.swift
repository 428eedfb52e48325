import Foundation
import TestSupport
import Testing

@testable import HalyardHTTP

/// How bytes are flushed to the disk: with the strongest system call that the file system supports.
struct FlushTests {
    /// A system call that fails with each of the given error numbers in turn, and then succeeds.
    private func flush(_ name: String, _ failures: CInt..., log: Lock<[String]>) -> Flush {
        let left = Lock(failures)
        return { _ in
            log.withLock { $0.append(name) }
            guard let failure = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return 0 }
            errno = failure
            return -1
        }
    }

    private func said(_ failures: CInt...) -> (Bool, [String]) {
        let log = Lock([String]())
        let first: Flush
        switch failures.count {
        case 0: first = flush("full", log: log)
        case 1: first = flush("full", failures[0], log: log)
        default: first = flush("full", failures[0], failures[1], log: log)
        }
        let isDone = flushToDisk(0, by: [first, flush("plain", log: log)])
        return (isDone, log.withLock { $0 })
    }

    @Test func `flushing uses the first supported call, retries an interrupted one and fails on other errors`() {
        #expect(said() == (true, ["full"]))
        #expect(said(EINTR) == (true, ["full", "full"]))
        for failure in [ENOTSUP, EINVAL, ENOTTY, ENOSYS] { #expect(said(failure) == (true, ["full", "plain"])) }
        #expect(said(EIO) == (false, ["full"]) && errno == EIO)
        #expect(said(EINTR, ENOSPC) == (false, ["full", "full"]) && errno == ENOSPC)
    }

    @Test func `files and folders are flushed, and any other descriptor fails`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("x", to: "x")
        for (path, flags) in [(file.path, O_RDWR), (folder.url.path, O_RDONLY)] {
            let descriptor = open(path, flags)
            defer { close(descriptor) }
            #expect(flushToDisk(descriptor))
        }
        #expect(!flushToDisk(-1) && errno == EBADF)
    }
}
