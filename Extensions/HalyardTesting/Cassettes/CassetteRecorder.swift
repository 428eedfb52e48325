import Halyard
import HalyardFoundation
import HalyardHAR
import HalyardHTTP

/// Sends requests and records their responses.
final class CassetteRecorder: Sendable {
    let transport: any Transport
    private let url: URL
    /// Made when the first response is recorded, so that a run without a response replaces no file.
    private let file = Lock<HARFile?>(nil)

    init(_ url: URL, _ transport: any Transport) {
        self.url = url
        self.transport = transport
    }

    func send(_ request: HTTPRequest, _ context: TransferContext) async throws -> HTTPResponse {
        let body = try await request.body?.data()
        var sent = request
        // A stream can be read only once, and was read here.
        if request.body?.isReadOnce == true, let body { sent.body = HTTPBody(body) }
        let start = RecordingStart(request, body)
        if case .memory = request.destination.place {
            let response = try await transport.send(sent, context: context)
            try record(start, response, response.data)
            return response
        }
        // The body passes through the recorder on its way to the file or stream.
        sent.destination = .stream
        let response = try await transport.send(sent, context: context)
        guard let stream = response.stream else {
            try record(start, response, response.data)
            return response
        }
        var context = context
        // The engine has reported the upload.
        let report = context.progress
        context.progress = { direction, progress in if direction == .download { report?(direction, progress) } }
        var delivered = try await HTTPResponse(
            receiving: RecordedStream(stream) { data, chunks in
                var complete = response
                complete.metrics = stream.metrics ?? response.metrics
                try self.record(start, complete, data, chunks)
            }, status: response.status, headers: response.headers, for: request, context: context)
        delivered.metrics = response.metrics
        return delivered
    }

    private func record(
        _ start: RecordingStart, _ response: HTTPResponse, _ body: Data, _ chunks: [HAREntry.Chunk]? = nil
    ) throws {
        let exchange = HARExchange(
            start.request, body: start.body, start: start.date, duration: start.clock.duration(to: .now),
            .success(.init(response, body: body, chunks: chunks)))
        try file.withLock { file in
            let opened = try file ?? HARFile(url)
            file = opened
            try opened.append(exchange.entry)
        }
    }
}

/// A request that was sent, and the time.
private struct RecordingStart: Sendable {
    let request: HTTPRequest
    let body: Data?
    let date = Date()
    let clock = ContinuousClock.now

    init(_ request: HTTPRequest, _ body: Data?) {
        self.request = request
        self.body = body
    }
}

/// A stream that is recorded while it is read. It is recorded at its end, and when its reader leaves.
private struct RecordedStream: AsyncSequence, Sendable {
    let stream: HTTPResponse.Stream
    let finish: @Sendable (Data, [HAREntry.Chunk]) throws -> Void

    init(_ stream: HTTPResponse.Stream, _ finish: @escaping @Sendable (Data, [HAREntry.Chunk]) throws -> Void) {
        self.stream = stream
        self.finish = finish
    }

    struct Iterator: AsyncIteratorProtocol {
        private var chunks: HTTPResponse.Stream.AsyncIterator
        private let finish: @Sendable (Data, [HAREntry.Chunk]) throws -> Void
        private var data = Data()
        private var sizes: [HAREntry.Chunk] = []
        private let start = ContinuousClock.now

        init(_ sequence: RecordedStream) {
            chunks = sequence.stream.makeAsyncIterator()
            finish = sequence.finish
        }

        mutating func next() async throws -> Data? {
            do {
                guard let chunk = try await chunks.next() else {
                    try finish(data, sizes)
                    return nil
                }
                data.append(contentsOf: chunk)
                let time = start.duration(to: .now).harMilliseconds
                sizes.append(HAREntry.Chunk(time: time, size: chunk.count))
                return Data(chunk)
            } catch let error as CancellationError {
                try finish(data, sizes)
                throw error
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
