import HalyardHTTP

/// Receives the body of a response: decompresses it, counts it, checks its limits, and passes it to its destination.
struct ResponseBodyReceiver {
    private var sink: ResponseSink
    private var decoder: BodyDecoder?
    private let limit: Int?
    private let ratioLimit: Int
    /// The number of bytes received, before decompression.
    private(set) var received: Int64 = 0
    /// The number of bytes passed on, after decompression, with those of an earlier response that is resumed.
    private var delivered: Int64
    /// After a pause libcurl delivers the same bytes again. This many of them are decompressed already.
    private var consumedBeforePause = 0

    /// Up to this size the compression ratio is not limited.
    private static let ratioCheckThreshold: Int64 = 1 << 20

    /// Makes a receiver.
    ///
    /// - Parameters:
    ///   - offset: The number of bytes that an earlier response has delivered already.
    ///   - decoder: Decompresses the body; `nil` for a body without coding.
    init(_ sink: ResponseSink, offset: Int64, _ decoder: BodyDecoder?, _ configuration: EngineConfiguration) {
        self.sink = sink
        delivered = offset
        self.decoder = decoder
        limit = configuration.bodyLimit
        ratioLimit = configuration.decompressionRatioLimit
    }

    /// The stream, if the body goes to one.
    var pipe: BytePipe? { sink.pipe }

    /// Checks an announced length against the limits, and reserves memory for it. Throws ``HTTPError`` of kind
    /// `bodyTooLarge`.
    mutating func expect(_ length: Int64) throws(HTTPError) {
        guard decoder == nil else { return }  // The length after decompression is unknown.
        if let limit, delivered + length > limit { throw HTTPError(.bodyTooLarge(limit: limit)) }
        try sink.expect(Int(clamping: length))
    }

    /// Receives bytes of the body. Returns whether the bytes were taken, and the number of bytes received so far. After
    /// `full`, pass the same bytes again when the stream has room. Throws ``HTTPError`` of kind `bodyTooLarge` or
    /// `invalidResponse`, or of the file that is written.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer
    ) throws(HTTPError) -> (result: BytePipe.WriteResult, received: Int64) {
        guard decoder != nil else {
            let result = try deliver(bytes)
            if result != .full { received += Int64(bytes.count) }
            return (result, received)
        }
        let result = try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer throws(HTTPError) in
            try decode(bytes, into: buffer)
        }
        return (result, received)
    }

    private mutating func decode(
        _ bytes: UnsafeRawBufferPointer, into buffer: UnsafeMutableRawBufferPointer
    ) throws(HTTPError) -> BytePipe.WriteResult {
        while true {
            // This is checked first, because decompressed bytes cannot be kept back.
            if let pipe, pipe.isFull() { return .full }
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(consumedBeforePause))
            guard let (consumed, produced) = try decoder?.decode(rest, into: buffer) else { return .accepted }
            consumedBeforePause += consumed
            received += Int64(consumed)
            if produced > 0, try deliver(UnsafeRawBufferPointer(rebasing: buffer[..<produced])) == .enough {
                return .enough
            }
            // If the buffer is full there may be more output, even if all input was consumed.
            if consumedBeforePause == bytes.count && produced < buffer.count { break }
        }
        consumedBeforePause = 0
        return .accepted
    }

    private mutating func deliver(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> BytePipe.WriteResult {
        let total = delivered + Int64(bytes.count)
        if let limit, total > limit { throw HTTPError(.bodyTooLarge(limit: limit)) }
        if decoder != nil, total > Self.ratioCheckThreshold, total / max(1, received) > ratioLimit {
            throw HTTPError(
                .bodyTooLarge(limit: Int(clamping: received) * ratioLimit),
                reason: "it grew more than \(ratioLimit) times when it was decompressed",
                suggestion: "Raise the engine's decompressionRatioLimit, if you trust the server")
        }
        let result = try sink.write(bytes)
        if result != .full { delivered = total }
        return result
    }

    /// Checks at the end of the body that compressed data is complete. Throws ``HTTPError`` of kind `invalidResponse`
    /// for compressed data that was cut short.
    func finish() throws(HTTPError) { try decoder?.finish() }

    /// Puts the body into a response.
    func fill(_ response: inout HTTPResponse) { sink.fill(&response) }

    /// Removes a file that was written in part.
    func discard() { sink.discard() }

    func free() { decoder?.free() }
}
