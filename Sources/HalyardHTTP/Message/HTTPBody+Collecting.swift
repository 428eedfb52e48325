public import HalyardFoundation

extension HTTPBody {
    /// Returns the whole body in memory: for a signature, a recording, or a stub.
    ///
    /// A body with a stream can be read once. To send it after this call, make another one: `HTTPBody(data)`.
    /// - Throws: ``HTTPError`` of kind `unreadableFile` or `bodyConsumed`, or what a stream throws.
    public func data() async throws -> Data {
        let streams = segments.compactMap { if case .stream(let stream) = $0 { stream } else { nil } }
        guard !streams.isEmpty else { return try await collected(from: []) }
        let pipes = streams.map { _ in BytePipe(capacity: 1 << 20) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for (stream, pipe) in zip(streams, pipes) { group.addTask { await stream.run(into: pipe) } }
            defer { for pipe in pipes { pipe.close() } }
            return try await collected(from: pipes)
        }
    }

    /// The body, if all of it is in memory.
    package var dataInMemory: Data? {
        var data = Data()
        for segment in segments {
            guard case .bytes(let bytes) = segment else { return nil }
            data.append(bytes)
        }
        return data
    }

    /// Joins the segments.
    ///
    /// - Parameter pipes: The pipes that the streams are written into, one for each stream, in order.
    private func collected(from pipes: [BytePipe]) async throws -> Data {
        var data = Data()
        if let length { data.reserveCapacity(Int(clamping: length)) }
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

extension FileSource {
    fileprivate func all() throws(HTTPError) -> Data {
        var data = Data()
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { room.deallocate() }
        while data.count < length {
            let count = try read(at: Int64(data.count), into: room)
            data.append(contentsOf: room.prefix(count))
        }
        return data
    }
}
