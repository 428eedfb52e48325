import HalyardFoundationNetworking
import HalyardHTTP

/// Assembles a response from URLSession's events. It decides what follows from each event; ``SessionTransfer`` acts.
struct ResponseAssembler: Sendable {
    /// What follows from an event.
    enum Action: Sendable {
        case proceed
        /// Delivers the response with its stream to the caller.
        case deliver(HTTPResponse, BytePipe)
        /// Suspends the task, because the stream has no room.
        case suspend
        /// Resumes the task.
        case resume
        /// Ends the transfer. With `early`, the rest of the body is not needed.
        case finish(HTTPResponse, BytePipe.Ending, early: Bool)
    }

    private let request: HTTPRequest
    private let followsRedirects: Bool
    private let headerLimit: Int
    private let bodyLimit: Int?
    private(set) var head: HTTPResponse?
    private var informational: [HTTPResponse] = []
    private let onInterim: (@Sendable (HTTPResponse) -> Void)?
    private var sink: ResponseSink?
    /// Data that the stream had no room for.
    private var overflow: [Data] = []
    private var isComplete = false
    private var meter: ProgressMeter
    private var recorder = TransferRecorder()

    init(_ request: HTTPRequest, _ context: TransferContext, _ configuration: EngineConfiguration) {
        self.request = request
        followsRedirects = context.followsRedirects
        onInterim = context.informational
        headerLimit = configuration.headerLimit
        bodyLimit = configuration.bodyLimit
        meter = ProgressMeter(.download, total: nil, step: 1, context.progress)
    }

    /// Whether the transfer waits for the reader of a stream.
    var isPaused: Bool { !overflow.isEmpty }

    /// Receives the status and the header fields of the response, or of a 1xx response before it. Throws ``HTTPError``
    /// of kind `invalidResponse`, `headersTooLarge` or `bodyTooLarge`, or of the file that is written.
    mutating func receive(_ response: URLResponse) throws -> Action {
        guard head == nil, let response = response as? HTTPURLResponse else { return .proceed }
        let headers = try response.checkedHeaders(limit: headerLimit)
        if (100..<200).contains(response.statusCode), response.statusCode != 101 {
            let interim = HTTPResponse(status: response.statusCode, headers: headers, from: request.address)
            onInterim?(interim)
            if informational.count < 16 { informational.append(interim) }
            return .proceed
        }
        recorder.recordFirstByte()
        var head = HTTPResponse(status: response.statusCode, headers: headers, from: request.address)
        head.informational = informational
        self.head = head
        // The body of a redirect that is followed is not needed. On Linux URLSession reports its head after the body.
        if followsRedirects, head.lengthOfBody != 0, headers.redirection(of: head.status) != nil {
            return finish(head, early: true)
        }
        var sink = try sink ?? ResponseSink(for: request, status: head.status, head.headers)
        meter.offset = sink.offset
        if let length = head.lengthOfBody, request.method != .head {
            meter.total = Int64(length)
            try sink.expect(length)
            if let limit = bodyLimit, Int64(length) > Int64(limit) - sink.offset {
                throw HTTPError(.bodyTooLarge(limit: limit))
            }
        }
        self.sink = sink
        guard let pipe = sink.pipe else { return .proceed }
        head.metrics = recorder.metrics
        sink.fill(&head)
        return .deliver(head, pipe)
    }

    /// Receives a piece of the body. Throws ``HTTPError`` of kind `bodyTooLarge`, or of the file that is written.
    mutating func receive(_ data: Data) throws -> Action {
        // On Linux the body of a redirect arrives before its head.
        var sink = try sink ?? ResponseSink(for: request, status: 300, [:])
        self.sink = nil  // Otherwise appending would copy the data.
        recorder.received += Int64(data.count)
        if let limit = bodyLimit, sink.offset + recorder.received > limit {
            throw HTTPError(.bodyTooLarge(limit: limit))
        }
        let wasPaused = isPaused
        let result: BytePipe.WriteResult = wasPaused ? .full : try write(data, to: &sink)
        self.sink = sink
        meter.advance(to: recorder.received)
        switch result {
        case .accepted: return .proceed
        case .enough: return head.map { finish($0, early: true) } ?? .proceed
        case .full:
            overflow.append(data)
            return wasPaused ? .proceed : .suspend
        }
    }

    private func write(_ data: Data, to sink: inout ResponseSink) throws -> BytePipe.WriteResult {
        defer { sink.pipe?.flush() }
        return try data.withUnsafeBytes { try sink.write($0) }
    }

    /// Writes the data that the stream had no room for.
    mutating func drain() throws -> Action {
        guard !overflow.isEmpty, var sink else { return .proceed }
        while let next = overflow.first {
            guard try write(next, to: &sink) != .full else { return .proceed }
            overflow.removeFirst()
        }
        guard isComplete, let head else { return .resume }
        return finish(head)
    }

    /// Receives the end of the response. Throws ``HTTPError`` of kind `connectionLost` if the response is not complete.
    mutating func complete(_ task: URLSessionTask) throws -> Action {
        if head == nil, let response = task.response {
            // On Linux the delegate does not receive the head of a redirect.
            _ = try receive(response)
        }
        guard let head else { throw HTTPError(.connectionLost) }
        if let total = meter.total, recorder.received != total {
            throw HTTPError(.connectionLost, reason: "only \(recorder.received) of \(total) bytes arrived")
        }
        recorder.sent = task.countOfBytesSent
        isComplete = true
        return overflow.isEmpty ? finish(head) : .proceed
    }

    private mutating func finish(_ head: HTTPResponse, early: Bool = false) -> Action {
        if recorder.received > 0, !early { meter.finish() }
        var ending = BytePipe.Ending()
        ending.metrics = recorder.metrics
        var response = head
        response.metrics = ending.metrics
        // A delivered stream must not be put into a second response, which would end the stream when it is freed.
        if sink?.pipe == nil { sink?.fill(&response) }
        return .finish(response, ending, early: early)
    }
}

extension HTTPResponse {
    /// The length of the body (RFC 9112 section 6.3); `nil` if it is unknown. URLSession decompresses a coded body, so
    /// its length is unknown too.
    fileprivate var lengthOfBody: Int? {
        let isUnknown = headers.contains("Transfer-Encoding") || headers.contains("Content-Encoding")
        guard !isUnknown, ![204, 304].contains(status) else { return nil }
        return headers[.contentLength].flatMap { Int($0) }
    }
}

/// Records the metrics of a transfer that can be observed from outside URLSession.
struct TransferRecorder: Sendable {
    private let start = ContinuousClock.now
    private var firstByte = Duration.zero
    var sent: Int64 = 0
    var received: Int64 = 0

    mutating func recordFirstByte() { firstByte = ContinuousClock.now - start }

    var metrics: TransferMetrics {
        var metrics = TransferMetrics()
        metrics.firstByte = firstByte
        metrics.total = ContinuousClock.now - start
        metrics.bytesSent = sent
        metrics.bytesReceived = received
        return metrics
    }
}
