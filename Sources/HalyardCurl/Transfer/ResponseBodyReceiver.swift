import HalyardHTTP

/// What becomes of a response's body: decompressed where it must be, counted, and put where it is wanted.
struct Intake {
    private var sink: ResponseSink
    private var inflater: Inflater?
    private let limit: Int?
    private let ratioLimit: Int
    /// Bytes that came, and bytes that they were.
    private(set) var received: Int64 = 0
    private var delivered: Int64
    /// Of what libcurl hands over again after a pause: so many bytes were read already.
    private var takenAhead = 0

    /// Below this nothing is called a bomb.
    private static let harmless: Int64 = 1 << 20

    /// - Parameter offset: how much of the body was there before this response, in bytes.
    init(_ sink: ResponseSink, offset: Int64, _ inflater: Inflater?, _ configuration: EngineConfiguration) {
        self.sink = sink
        delivered = offset
        self.inflater = inflater
        limit = configuration.bodyLimit
        ratioLimit = configuration.decompression.ratioLimit
    }

    /// The stream, where that is what the body goes to.
    var pipe: BytePipe? { if case .stream(let pipe) = sink { pipe } else { nil } }

    /// Refuses a body that announces itself as too long, and notes how long another will be.
    mutating func expect(_ length: Int64) throws(HTTPError) {
        guard inflater == nil else { return }  // it says nothing of what comes out
        if let limit, delivered + length > limit { throw HTTPError(.bodyTooLarge(limit: limit)) }
        try sink.expect(Int(clamping: length))
    }

    mutating func take(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> ResponseSink.Taking {
        guard inflater != nil else {
            let taking = try deliver(bytes)
            if taking != .full { received += Int64(bytes.count) }
            return taking
        }
        return try inflate(bytes)
    }

    private mutating func inflate(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> ResponseSink.Taking {
        try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { room throws(HTTPError) in
            try inflate(bytes, in: room)
        }
    }

    private mutating func inflate(
        _ bytes: UnsafeRawBufferPointer, in room: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> ResponseSink.Taking {
        while true {
            // Asked first: once it is inflated it cannot be given back.
            if let pipe, pipe.isFull() { return .full }
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(takenAhead))
            guard let (taken, given) = try inflater?.inflate(rest, into: room) else { return .taken }
            takenAhead += taken
            received += Int64(taken)
            if given > 0, try deliver(UnsafeRawBufferPointer(rebasing: room[..<given])) == .enough { return .enough }
            // With its room full zlib may have more of what it has read, even when that was the last byte.
            if takenAhead == bytes.count && given < room.count { break }
        }
        takenAhead = 0
        return .taken
    }

    private mutating func deliver(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> ResponseSink.Taking {
        let total = delivered + Int64(bytes.count)
        if let limit, total > limit { throw HTTPError(.bodyTooLarge(limit: limit)) }
        if inflater != nil, total > Self.harmless, total / max(1, received) > ratioLimit {
            throw HTTPError(
                .bodyTooLarge(limit: Int(clamping: received) * ratioLimit),
                reason: "it grew more than \(ratioLimit) times when it was decompressed",
                suggestion: "Raise the engine's decompression.ratioLimit, if the server is to be trusted with it")
        }
        let taking = try sink.take(bytes)
        if taking != .full { delivered = total }
        return taking
    }

    /// Checks, when no more comes, that all was there.
    func finish() throws(HTTPError) { try inflater?.finish() }

    func fill(_ response: inout HTTPResponse) { sink.fill(&response) }

    /// Removes the file that was begun.
    func discard() { sink.discard() }

    func free() { inflater?.free() }
}
