import HalyardFoundation
import HalyardHTTP

/// Reads the body of a request (RFC 9112 sections 6 and 7).
struct BodyReader: Sendable {
    private enum State: Sendable {
        case bytes(Int, inChunk: Bool)
        case chunkEnd
        case size
        case trailers
        case done
    }

    private var state: State
    private(set) var body = Data()

    init(_ framing: RequestHead.Framing) {
        switch framing {
        case .length(let count): state = .bytes(count, inChunk: false)
        case .chunked: state = .size
        }
    }

    /// Takes the available bytes of the body from the inbox.
    ///
    /// - Returns: Whether ``body`` is complete.
    mutating func read(_ inbox: inout Inbox) throws(MalformedRequest) -> Bool {
        while let next = try step(&inbox) {
            state = next
            if case .done = next { return true }
        }
        return false
    }

    /// Returns the next state. `nil` if more bytes are needed.
    private mutating func step(_ inbox: inout Inbox) throws(MalformedRequest) -> State? {
        switch state {
        case .done: return .done
        case .bytes(0, let inChunk): return inChunk ? .chunkEnd : .done
        case .bytes(let count, let inChunk):
            guard !inbox.isEmpty else { return nil }
            let part = inbox.bytes.prefix(count)
            body.append(contentsOf: part)
            inbox.consume(part.count)
            return .bytes(count - part.count, inChunk: inChunk)
        case .chunkEnd:
            guard let line = try inbox.line(limit: 2) else { return nil }
            guard line.isEmpty else { throw MalformedRequest("a chunk is longer than its size") }
            return .size
        case .size:
            guard let line = try inbox.line(limit: Self.lineLimit) else { return nil }
            let size = try Self.size(line)
            return size == 0 ? .trailers : .bytes(size, inChunk: true)
        case .trailers:
            guard let line = try inbox.line(limit: Self.lineLimit) else { return nil }
            return line.isEmpty ? .done : .trailers
        }
    }

    private static func size(_ line: ArraySlice<UInt8>) throws(MalformedRequest) -> Int {
        let digits = String(decoding: line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }, as: UTF8.self)
        guard digits.consists(of: .alphanumerics), let size = Int(digits, radix: 16) else {
            throw MalformedRequest("a chunk's size is not a number in hexadecimal digits")
        }
        return size
    }

    private static let lineLimit = 16 * 1024
}
