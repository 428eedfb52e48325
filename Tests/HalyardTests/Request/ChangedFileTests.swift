import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

/// A file that changes while it is sent.
struct ChangedFileTests {
    @Test(
        "a file that changes or grows while it is sent fails and never arrives complete",
        arguments: [true, false])
    func changed(grows: Bool) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Data(count: 8 << 20), to: "big")
        let (reading, gate) = (Counter(), Gate())
        let arrived = Lock(0)
        let server = try ScriptedServer { connection in
            guard connection.readHead() != nil, let first = connection.read(atMost: 1000) else { return }
            arrived.withLock { $0 = first.count }
            reading.increment()
            gate.wait()
            while let bytes = connection.read(atMost: 64 << 10) { arrived.withLock { $0 += bytes.count } }
        }
        let api = TestAPI(baseURL: server.baseURL)
        let upload = Task {
            await failure { try await api.request(Route(path: "/x", method: .put, body: .file(file))).void() }
        }
        try await eventually("the upload has begun") { reading.count == 1 }
        let handle = try FileHandle(forUpdating: file)
        if grows { try handle.seekToEnd() }
        try handle.write(contentsOf: Data("changed".utf8))
        try handle.close()
        gate.open()
        let error = await upload.value
        #expect(error?.kind == .unreadableFile(file.path(percentEncoded: false)))
        #expect(error?.reason == "it changed while it was sent")
        #expect(arrived.withLock { $0 } < 8 << 20)
    }
}
