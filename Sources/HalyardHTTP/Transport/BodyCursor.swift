import HalyardFoundation

/// A position in a request's body, for an engine that reads it piece by piece.
package struct BodyCursor: Sendable {
    private let segments: [HTTPBody.Segment]
    private var pipes: ArraySlice<BytePipe>
    private var index = 0
    /// The position in the current segment.
    private var offset: Int64 = 0
    /// The number of bytes that were read in all.
    package private(set) var position: Int64 = 0
    private let readFile: FileReading?

    /// Reads bytes of a file at an offset, or returns `nil` if they have not arrived yet.
    package typealias FileReading =
        @Sendable (FileSource, _ offset: Int64, UnsafeMutableRawBufferPointer) throws -> Int?

    /// Makes a cursor at the start of a body.
    ///
    /// - Parameters:
    ///   - pipes: The pipes that the body's streams are written into, one for each stream, in order.
    ///   - readFile: Reads files without waiting for the disk. Defaults to none: the cursor waits.
    package init(_ body: HTTPBody, pipes: [BytePipe], readFile: FileReading? = nil) {
        segments = body.segments
        self.pipes = pipes[...]
        self.readFile = readFile
    }

    /// Fills a buffer as far as bytes are available, across segments.
    ///
    /// - Throws: ``HTTPError`` of kind `unreadableFile`, `encoding` or `bodyConsumed`, or what a stream throws.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> BytePipe.ReadResult {
        var filled = 0
        while filled < buffer.count, index < segments.count {
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            switch try readSegment(into: room) {
            case .bytes(let count):
                filled += count
                offset += Int64(count)
            case .nothingYet:
                position += Int64(filled)
                return filled > 0 ? .bytes(filled) : .nothingYet
            case .end:
                index += 1
                offset = 0
            }
        }
        position += Int64(filled)
        return filled > 0 ? .bytes(filled) : .end
    }

    private mutating func readSegment(into buffer: UnsafeMutableRawBufferPointer) throws -> BytePipe.ReadResult {
        switch segments[index] {
        case .bytes(let data):
            let start = data.startIndex + Int(offset)
            let count = data.copyBytes(to: buffer, from: start..<min(start + buffer.count, data.endIndex))
            return count > 0 ? .bytes(count) : .end
        case .file(let file):
            guard offset < file.length else { return .end }
            guard let readFile else { return .bytes(try file.read(at: offset, into: buffer)) }
            return try readFile(file, offset, buffer).map { .bytes($0) } ?? .nothingYet
        case .stream(let stream):
            return try read(stream, into: buffer)
        }
    }

    private mutating func read(
        _ stream: BodyStream, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> BytePipe.ReadResult {
        guard let pipe = pipes.first else { return .end }
        do {
            let reading = try pipe.tryRead(buffer, announced: stream.length.map { $0 - offset })
            if case .end = reading { pipes = pipes.dropFirst() }
            return reading
        } catch is BytePipe.LengthMismatch { throw stream.wrongLength }
    }

    /// Moves to another position. Returns false when a stream comes before it, which cannot be read again.
    package mutating func rewind(to place: Int64) -> Bool {
        guard !segments.contains(where: \.isStream) else { return position == place }
        (index, offset, position) = (0, place, place)
        while index < segments.count, let length = segments[index].length, offset >= length {
            offset -= length
            index += 1
        }
        return true
    }
}

extension HTTPBody.Segment {
    fileprivate var isStream: Bool { if case .stream = self { true } else { false } }
}
