import Foundation
import HalyardHTTP
import TestSupport

@testable import Halyard

/// A transport whose responses a test sends one by one.
final class GatedTransport: Transport {
    struct Call: Sendable {
        let request: HTTPRequest
        let context: TransferContext
        private let waiter = CancellableWaiter<HTTPResponse>()

        init(_ request: HTTPRequest, _ context: TransferContext) { (self.request, self.context) = (request, context) }

        var path: String { request.url.path }

        func respond(_ status: Int = 200, headers: HTTPHeaders = [:], _ text: String = "") {
            waiter.end(
                with: .success(HTTPResponse(status: status, headers: headers, data: Data(text.utf8), url: request.url)))
        }

        func fail(_ error: any Error) { waiter.end(with: .failure(error)) }

        fileprivate func response() async throws -> HTTPResponse { try await waiter.value() }
    }

    private let log = Log<Call>()
    /// The paths of the requests that were cancelled.
    let cancelled = Log<String>()

    /// The requests so far.
    var calls: [Call] { log.entries }
    var paths: [String] { calls.map(\.path) }

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let call = Call(request, context)
        log.add(call)
        do { return try await call.response() } catch let error as CancellationError {
            cancelled.add(call.path)
            throw error
        }
    }

    /// Waits until a number of requests were sent, and returns the last of them.
    func call(_ number: Int) async throws -> Call {
        try await eventually("request \(number) is sent") { calls.count >= number }
        return calls[number - 1]
    }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension HTTPClient {
    /// Starts a request at once, up to where it waits: requests queue in the order of the calls.
    func start(
        _ path: String, _ method: HTTPMethod = .get, host: String = "a.example.com", headers: HTTPHeaders = [:],
        body: HTTPBody? = nil, destination: HTTPRequest.Destination = .memory(),
        _ change: (inout RequestOptions) -> Void = { _ in }
    ) throws -> Task<HTTPResponse, any Error> {
        var options = RequestOptions()
        change(&options)
        let url = URL(string: "https://\(host)\(path)")
        let request = try HTTPRequest(
            method, url ?? URL(filePath: "/"), headers: headers, body: body, destination: destination)
        let chain = chain(for: request, log: RequestLog(log), options: options)
        return Task.immediate { try await chain.proceed(request) }
    }
}
