import Foundation
import HalyardAsync
import HalyardTesting
import TestSupport
import Testing

// The partial file of a download, and the requests that may use it.
extension ResumingFaultTests {
    @Test("of two downloads to one file, the second fails and the first completes")
    func twoAtOnce() async throws {
        let (gate, content) = (Gate(), content)
        let scripted = try ScriptedServer { connection in
            _ = connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 100000\r\n\r\n")
            connection.write(content.prefix(50_000))
            gate.wait()
            connection.write(content.dropFirst(50_000))
        }
        let target = folder.file("dump")
        let api = TestAPI(baseURL: scripted.baseURL)
        let first = Task { try await api.request(Self.dump).download(to: target, resuming: true) }
        try await eventually("it has begun") { try folder.names.count == 2 }
        let error = await download()
        #expect(error == HTTPError(.unwritableFile(target.path)))
        #expect(error?.reason?.contains("another request") == true)
        #expect(server.requests.isEmpty)
        gate.open()
        _ = try await first.value
        #expect(try isWhole)
    }

    @Test("of many downloads to one file, one completes the whole file")
    func manyAtOnce() async throws {
        ranged.change { $0.breaks = [] }
        let errors = await withTaskGroup(of: HTTPError?.self) { group in
            for _ in 0..<20 { group.addTask { await download() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.contains(nil))
        #expect(errors.allSatisfy { $0 == nil || $0 == HTTPError(.unwritableFile(folder.file("dump").path)) })
        #expect(try isWhole)
    }

    @Test("a link, a folder or another user's file at the partial file's path is not used")
    func planted() async throws {
        let other = try folder.write("precious", to: "other")
        let partialFile = folder.partialFile(of: "dump")
        for plant in [
            { try FileManager.default.createSymbolicLink(at: partialFile, withDestinationURL: other) },
            { try FileManager.default.linkItem(at: other, to: partialFile) },
            { try FileManager.default.createDirectory(at: partialFile, withIntermediateDirectories: false) },
        ] {
            try plant()
            let error = await download()
            #expect(error == HTTPError(.unwritableFile(folder.file("dump").path)))
            #expect(error?.reason?.contains(".dump.halyard-part") == true || error?.reason == "Is a directory")
            #expect(try String(contentsOf: other, encoding: .utf8) == "precious")
            try FileManager.default.removeItem(at: partialFile)
        }
        if geteuid() == 0 {
            try Data().write(to: partialFile)
            #expect(chown(partialFile.path, 65_534, 65_534) == 0)
            #expect(await download()?.reason?.contains("another user") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("a download with a name of maximum length is resumed")
    func longName() async throws {
        ranged.change { $0.breaks = [40_000, 40_000] }
        let name = String(repeating: "n", count: 255)
        for _ in 1...3 {
            _ = await failure {
                _ = try await TestAPI(server).request(Self.dump).download(to: folder.file(name), resuming: true)
            }
        }
        #expect(server.ranges == [nil, "bytes=40000-", "bytes=80000-"])
        #expect(try folder.names == [name])
    }

    @Test(
        "a record that is a link, invalid or for other bytes restarts the download",
        arguments: ["link", "broken", "longer", "none"])
    func brokenRecord(how: String) async throws {
        _ = await download()
        let (record, partialFile) = (folder.record(of: "dump"), folder.partialFile(of: "dump"))
        let other = try folder.write(try Data(contentsOf: record), to: "other")
        if how == "longer" {
            try Data.noise(100_001).write(to: partialFile)
        } else {
            try FileManager.default.removeItem(at: record)
        }
        if how == "link" { try FileManager.default.createSymbolicLink(at: record, withDestinationURL: other) }
        if how == "broken" { try Data("{".utf8).write(to: record) }
        #expect(await download() == nil)
        #expect(server.ranges == [nil, nil])
        try FileManager.default.removeItem(at: other)
        #expect(try isWhole)
    }
}
