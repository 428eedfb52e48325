import Foundation
import HalyardHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What has come of a response so far, and what follows from the next piece. It decides; the exchange acts.
struct Incoming: Sendable {
    enum Action: Sendable {
        case goOn
        case handOver(HTTPResponse, BytePipe)
        /// The reader of a stream is behind.
        case hold
        case release
        /// Early: there is more, but nobody wants it.
        case finish(HTTPResponse, BytePipe.Ending, early: Bool)
    }

    private let request: HTTPRequest
    private let followsRedirects: Bool
    private let headerLimit: Int
    private let bodyLimit: Int?
    private var head: HTTPResponse?
    private var informational: [HTTPResponse.Informational] = []
    private var sink: ResponseSink?
    /// What a stream had no room for.
    private var overflow: [Data] = []
    private var isComplete = false
    private var meter: ProgressMeter
    private var measure = Measure()

    init(_ request: HTTPRequest, _ context: TransferContext, _ configuration: EngineConfiguration) {
        self.request = request
        followsRedirects = context.followsRedirects
        headerLimit = configuration.headerLimit
        bodyLimit = configuration.bodyLimit
        meter = ProgressMeter(.download, total: nil, step: 1, context.progress)
    }

    /// Whether it waits for the reader of a stream.
    var isHeldUp: Bool { !overflow.isEmpty }

    /// Takes status and header fields: of the response, or of a 1xx before it.
    mutating func receive(_ response: URLResponse) throws -> Action {
        guard head == nil, let response = response as? HTTPURLResponse else { return .goOn }
        let headers = try response.checkedHeaders(limit: headerLimit)
        if (100..<200).contains(response.statusCode), response.statusCode != 101 {
            if informational.count < 16 {
                informational.append(.init(status: response.statusCode, headers: headers))
            }
            return .goOn
        }
        measure.sawFirstByte()
        var head = HTTPResponse(status: response.statusCode, headers: headers, from: request.address)
        head.informational = informational
        self.head = head
        // Of a redirect that is followed the head is enough. On Linux URLSession tells it after the body.
        if followsRedirects, head.lengthOfBody != 0, headers.redirection(of: head.status) != nil {
            return finish(head, early: true)
        }
        var sink = try sink ?? ResponseSink(for: request, status: head.status, head.headers)
        meter.offset = sink.offset
        if let length = head.lengthOfBody, request.method != .head {
            meter.total = Int64(length)
            try sink.expect(length)
            if let limit = bodyLimit, sink.offset + Int64(length) > limit {
                throw HTTPError(.bodyTooLarge(limit: limit))
            }
        }
        self.sink = sink
        guard case .stream(let pipe) = sink else { return .goOn }
        head.metrics = measure.metrics
        sink.fill(&head)
        return .handOver(head, pipe)
    }

    /// Takes a piece of the body.
    mutating func receive(_ data: Data) throws -> Action {
        // On Linux the body of a redirect comes before its head.
        var sink = try sink ?? ResponseSink(for: request, status: 300, [:])
        self.sink = nil  // so that the data is held once
        measure.received += Int64(data.count)
        if let limit = bodyLimit, sink.offset + measure.received > limit {
            throw HTTPError(.bodyTooLarge(limit: limit))
        }
        let isBehind = !overflow.isEmpty
        let taking: ResponseSink.Taking = isBehind ? .full : try take(data, &sink)
        self.sink = sink
        meter.advance(to: measure.received)
        switch taking {
        case .taken: return .goOn
        case .enough: return head.map { finish($0, early: true) } ?? .goOn
        case .full:
            overflow.append(data)
            return isBehind ? .goOn : .hold
        }
    }

    private func take(_ data: Data, _ sink: inout ResponseSink) throws -> ResponseSink.Taking {
        defer { if case .stream(let pipe) = sink { pipe.flush() } }
        return try data.withUnsafeBytes { try sink.take($0) }
    }

    /// Gives a stream what it had no room for.
    mutating func drain() throws -> Action {
        guard !overflow.isEmpty, var sink else { return .goOn }
        while let next = overflow.first {
            guard try take(next, &sink) != .full else { return .goOn }
            overflow.removeFirst()
        }
        guard isComplete, let head else { return .release }
        return finish(head)
    }

    /// The transfer has ended, and well.
    mutating func complete(_ task: URLSessionTask) throws -> Action {
        if head == nil, let response = task.response {
            // On Linux a redirect's head is told to nobody.
            _ = try receive(response)
        }
        guard let head else { throw HTTPError(.connectionLost) }
        if let total = meter.total, measure.received != total {
            throw HTTPError(.connectionLost, reason: "\(measure.received) of \(total) bytes came")
        }
        measure.sent = task.countOfBytesSent
        isComplete = true
        return overflow.isEmpty ? finish(head) : .goOn
    }

    private mutating func finish(_ head: HTTPResponse, early: Bool = false) -> Action {
        if measure.received > 0, !early { meter.finish() }
        var ending = BytePipe.Ending()
        ending.metrics = measure.metrics
        var response = head
        response.metrics = ending.metrics
        // A stream that was handed over has its owner: another would end it when it goes.
        if case .stream = sink {} else { sink?.fill(&response) }
        return .finish(response, ending, early: early)
    }
}

extension HTTPResponse {
    /// The bytes that are to come, where that is known (RFC 9112 section 6.3); what is decompressed on the way has more.
    fileprivate var lengthOfBody: Int? {
        let isUnknown = headers.contains("Transfer-Encoding") || headers.contains("Content-Encoding")
        guard !isUnknown, ![204, 304].contains(status) else { return nil }
        return headers[.contentLength].flatMap { Int($0) }
    }
}
