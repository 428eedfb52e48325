#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension HTTPBody {
    /// All of the body in memory: for stubs and recordings, which have no wire to send it over.
    package func collected() async throws -> Data {
        let streams = segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
        let pipes = streams.map { _ in BytePipe(capacity: 1 << 20) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for (stream, pipe) in zip(streams, pipes) { group.addTask { await stream.run(into: pipe) } }
            defer { for pipe in pipes { pipe.close() } }
            var data = Data()
            var rest = pipes[...]
            for segment in segments {
                switch segment {
                case .bytes(let bytes): data.append(bytes)
                case .file(let file): try data.append(file.all())
                case .stream:
                    while let chunk = try await rest.first?.read() { data.append(chunk) }
                    rest = rest.dropFirst()
                }
            }
            return data
        }
    }
}

extension FileSource {
    fileprivate func all() throws(HTTPError) -> Data {
        var data = Data()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        while true {
            let count = try read(at: Int64(data.count), into: room)
            if count == 0 { return data }
            data.append(contentsOf: room.prefix(count))
        }
    }
}
