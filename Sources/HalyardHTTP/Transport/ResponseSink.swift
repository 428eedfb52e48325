#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Where the body of one response goes.
package enum ResponseSink: Sendable {
    case memory(Data, expected: Int, limit: Int)
    /// The start of a body that is no success, whatever the request wanted to do with one.
    case excerpt(Data)
    case file(any BodyFile)
    case stream(BytePipe)

    /// What became of a piece of the body.
    package enum Taking: Sendable { case taken, full, enough }

    private static let excerptLimit = 64 << 10
    private static let streamCapacity = 1 << 20
    /// What an engine reads at once, at most.
    private static let streamReserve = 512 << 10

    /// The sink that a request's destination asks for, given the response's status and header fields.
    package init(for request: HTTPRequest, status: Int, _ headers: HTTPHeaders) throws(HTTPError) {
        switch request.destination.place {
        case .memory(let limit): self = .memory(Data(), expected: 0, limit: limit)
        case _ where !(200..<300).contains(status): self = .excerpt(Data())
        case .file(let url, _):
            if let part = request.part {
                let source = PartialDownload.source(request)
                do throws(Fault) { self = .file(try part.begin(status, headers, source: source)) } catch {
                    throw HTTPError(error)
                }
            } else {
                self = .file(try FileSink(url))
            }
        case .stream: self = .stream(BytePipe(capacity: Self.streamCapacity, reserve: Self.streamReserve))
        }
    }

    /// How much of the body was there before this response.
    package var offset: Int64 { if case .file(let file) = self { file.offset } else { 0 } }

    /// Refuses a body that announces itself as too long, and remembers how long another will be.
    package mutating func expect(_ length: Int) throws(HTTPError) {
        guard case .memory(let data, _, let limit) = self else { return }
        guard length <= limit else { throw HTTPError(.bodyTooLarge(limit: limit)) }
        self = .memory(data, expected: min(length, 1 << 30), limit: limit)
    }

    /// Takes bytes. A stream's reader hears of them when ``BytePipe/flush()`` is called.
    package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Taking {
        switch self {
        case .memory(var data, let expected, let limit):
            guard data.count + bytes.count <= limit else { throw HTTPError(.bodyTooLarge(limit: limit)) }
            if data.isEmpty && bytes.count >= expected {
                data = Data(bytes)  // most bodies come in one piece
            } else {
                self = .excerpt(Data())  // so that the data is held once, and grows in place
                // What is announced and never comes is not touched, and so costs no memory.
                if data.isEmpty { data = Data(capacity: expected) }
                data.append(contentsOf: bytes)
            }
            self = .memory(data, expected: expected, limit: limit)
        case .excerpt(var data):
            data.append(contentsOf: bytes.prefix(Self.excerptLimit - data.count))
            self = .excerpt(data)
            if data.count == Self.excerptLimit { return .enough }
        case .file(let file): try file.write(bytes)
        case .stream(let pipe):
            switch pipe.tryWrite(bytes) {
            case .taken: return .taken
            case .full: return .full
            case .closed: return .enough
            }
        }
        return .taken
    }

    /// Removes the file that was begun.
    package func discard() { if case .file(let file) = self { file.discard() } }

    /// Adds the body, as far as it is known, to a response.
    package func fill(_ response: inout HTTPResponse) {
        switch self {
        case .memory(let data, _, _), .excerpt(let data): response.data = data
        case .file(let file): response.sink = file
        case .stream(let pipe): response.stream = HTTPResponse.Stream(pipe)
        }
    }
}

extension HTTPResponse {
    /// Puts a body that is there already where a request wants it, by the rules of every engine.
    package mutating func deliver(_ body: Data, to request: HTTPRequest) throws {
        var sink = try ResponseSink(for: request, status: status, headers)
        try sink.expect(body.count)
        _ = try body.withUnsafeBytes { try sink.take($0) }
        if case .stream(let pipe) = sink { pipe.finish() }
        sink.fill(&self)
    }
}
