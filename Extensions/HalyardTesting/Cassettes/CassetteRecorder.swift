import Halyard
import HalyardFoundation
import HalyardHAR
import HalyardHTTP

/// Sends requests and records their responses.
final class CassetteRecorder: Transport {
    private let transport: any Transport
    private let url: URL
    /// Made when the first response is recorded, so that a run without a response replaces no file.
    private let file = Lock<HARFile?>(nil)

    init(_ url: URL, _ transport: any Transport) {
        self.url = url
        self.transport = transport
    }

    func shutdown() { transport.shutdown() }

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let body = try await request.body?.data()
        var sent = request
        // A stream can be read only once, and was read here.
        if request.body?.isReadOnce == true, let body { sent.body = HTTPBody(body) }
        let exchange = HARExchange(request, body: body)
        if case .memory = request.destination {
            let response = try await transport.send(sent, context: context)
            try record(exchange.entry(of: response, body: response.data))
            return response
        }
        // The body passes through the recorder on its way to the file or stream.
        sent.destination = .stream
        let response = try await transport.send(sent, context: context)
        guard let stream = response.stream else {
            try record(exchange.entry(of: response, body: response.data))
            return response
        }
        var context = context
        // The engine has reported the upload.
        let report = context.progress
        context.progress = { direction, progress in if direction == .download { report?(direction, progress) } }
        var delivered = try await HTTPResponse(
            receiving: RecordedStream(stream: stream) { data, chunks in
                var complete = response
                complete.metrics = stream.metrics ?? response.metrics
                try self.record(exchange.entry(of: complete, body: data, chunks: chunks))
            }, status: response.status, headers: response.headers, for: request, context: context)
        delivered.metrics = response.metrics
        return delivered
    }

    private func record(_ entry: JSON) throws {
        try file.withLock { file in
            let opened = try file ?? HARFile(url)
            file = opened
            try opened.append(entry)
        }
    }
}

/// A stream that is recorded while it is read. It is recorded at its end, and when its reader leaves.
private struct RecordedStream: AsyncSequence, Sendable {
    let stream: HTTPResponse.Stream
    let finish: @Sendable (Data, [HAREntry.Chunk]) throws -> Void

    struct Iterator: AsyncIteratorProtocol {
        var chunks: HTTPResponse.Stream.AsyncIterator
        let finish: @Sendable (Data, [HAREntry.Chunk]) throws -> Void
        var data = Data()
        var sizes: [HAREntry.Chunk] = []
        let start = ContinuousClock.now

        mutating func next() async throws -> Data? {
            do {
                guard let chunk = try await chunks.next() else {
                    try finish(data, sizes)
                    return nil
                }
                data.append(contentsOf: chunk)
                let time = start.duration(to: .now).harMilliseconds
                sizes.append((time, chunk.count))
                return Data(chunk)
            } catch let error as CancellationError {
                try finish(data, sizes)
                throw error
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: stream.makeAsyncIterator(), finish: finish) }
}
