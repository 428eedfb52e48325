import Foundation
import HalyardAsync

/// A transport of a program's own, over another one.
///
/// It uses the public API alone: CI also builds this file in a package outside of Halyard.
struct RelayTransport: Transport {
    let inner: any Transport

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        var relayed = try HTTPRequest(request.method, request.url, headers: request.headers, destination: .stream)
        if let body = request.body {
            relayed.body = HTTPBody(stream: body.chunks(reportingTo: context), length: body.length)
        }
        let response = try await inner.send(relayed, context: TransferContext(timeout: context.timeout))
        // A response that is not a 2xx has its body in memory.
        let memory = AsyncStream<Data> { chunks in
            chunks.yield(response.data)
            chunks.finish()
        }
        guard let stream = response.stream else {
            return try await HTTPResponse(
                receiving: memory, status: response.status, headers: response.headers, for: request, context: context)
        }
        return try await HTTPResponse(
            receiving: stream, status: response.status, headers: response.headers, for: request, context: context)
    }

    func shutdown() { inner.shutdown() }
}
