package import HalyardFoundation
package import HalyardHTTP
import HalyardTesting

/// Raw responses of a server to requests in sequence, and the outcome of the last one.
package struct RawCase: Codable, Sendable {
    package var name: String
    package var method: String
    package var body: Data?
    package var responses: [Data]
    /// In seconds.
    package var limit: Double
    /// The number of requests that are cancelled while the response arrives, before the last one.
    package var cancellations: Int

    package init(
        _ name: String, method: String = "GET", body: Data? = nil, responses: [Data], limit: Double = 3,
        cancellations: Int = 0
    ) {
        self.name = name
        self.method = method
        self.body = body
        self.responses = responses
        self.limit = limit
        self.cancellations = cancellations
    }

    /// The outcome of a request.
    package enum Outcome: Codable, Hashable, Sendable {
        case response(status: Int, body: Data, headers: [String])
        case failure(String, String)
        /// An error that no engine may throw.
        case untyped(String)
        /// An outcome that is only visible from outside of the child process.
        case ended(signal: Int)
        case froze
    }

    /// Serves the responses, sends the requests, and returns the outcome of the last one.
    package func run(_ transport: any Transport) async -> Outcome {
        do {
            let server = try LoopbackServer()
            let rest = Lock(responses)
            let cancelled = Lock<Task<Void, Never>?>(nil)
            let method = try HTTPMethod(method)
            server.on(method, "/") { _ in
                cancelled.withLock { $0 }?.cancel()
                return .raw(rest.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? Data() })
            }
            guard let url = URL(string: "\(server.baseURL)/") else { return .untyped("no URL") }
            let request = try HTTPRequest(method, url, body: body.map(HTTPBody.init))
            let context = TransferContext(timeout: .seconds(limit))
            for _ in 0..<cancellations {
                let task = cancelled.withLock { task in
                    let new = Task { _ = try? await transport.send(request, context: context) }
                    task = new
                    return new
                }
                await task.value
            }
            cancelled.withLock { $0 = nil }
            for _ in responses.dropLast() { _ = try await transport.send(request, context: context) }
            return Outcome(try await transport.send(request, context: context))
        } catch let error as HTTPError { return .failure("\(error.kind)", error.reason ?? "") } catch {
            return .untyped("\(error)")
        }
    }
}

extension RawCase.Outcome {
    package init(_ response: HTTPResponse) {
        self = .response(
            status: response.status, body: response.data,
            headers: response.headers.map { "\($0.name.rawValue): \($0.value)" })
    }

    package var status: Int? { if case .response(let status, _, _) = self { status } else { nil } }
    package var body: Data? { if case .response(_, let body, _) = self { body } else { nil } }

    /// Whether this is a response, or an `HTTPError` that is not a timeout.
    package var isInOrder: Bool {
        switch self {
        case .response: true
        case .failure(let kind, _): !kind.hasPrefix("timedOut")
        case .untyped, .ended, .froze: false
        }
    }
}
