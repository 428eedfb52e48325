package import Foundation
package import HalyardHTTP
package import HalyardTesting

/// A body that a server sends in ranges (RFC 9110 section 14), and the positions where the connection breaks.
package final class RangedContent: Sendable {
    package struct State: Sendable {
        package var content: Data
        /// The validators, and any further header fields.
        package var headers: HTTPHeaders
        /// The number of bytes that each of the next responses sends before the connection ends.
        package var breaks: [Int] = []
        /// The next responses, in place of the correct ones.
        package var answers: [StubResponse] = []
    }

    private let state: Lock<State>

    package init(_ content: Data, _ headers: HTTPHeaders = ["ETag": "\"one\""], breaks: Int...) {
        state = Lock(State(content: content, headers: headers, breaks: breaks))
    }

    package func change(_ body: @Sendable (inout State) -> Void) { state.withLock { body(&$0) } }

    package func answer(to request: RecordedRequest) -> StubResponse {
        state.withLock { state in
            if !state.answers.isEmpty { return state.answers.removeFirst() }
            let (count, validator) = (state.content.count, state.headers["ETag"] ?? state.headers["Last-Modified"])
            var (first, end, status, headers) = (0, count, 200, state.headers)
            if let range = request.headers["Range"], request.headers["If-Range"] ?? validator == validator {
                let ends = range.wholeMatch(of: /bytes=(\d+)-(\d*)/)
                first = ends.flatMap { Int($0.1) } ?? 0
                end = min(count, ends.flatMap { Int($0.2) }.map { $0 + 1 } ?? count)
                guard first < count else { return .status(416, headers: ["Content-Range": "bytes */\(count)"]) }
                (status, headers["Content-Range"]) = (206, "bytes \(first)-\(end - 1)/\(count)")
            }
            let rest = Data(state.content.prefix(end).dropFirst(first))
            if state.breaks.isEmpty { return .data(rest, status: status, headers: headers) }
            var raw = "HTTP/1.1 \(status) x\r\nContent-Length: \(rest.count)\r\n"
            for field in headers { raw += "\(field.name.rawValue): \(field.value)\r\n" }
            return .raw(Data((raw + "\r\n").utf8) + rest.prefix(state.breaks.removeFirst()))
        }
    }
}

extension LoopbackServer {
    /// Returns a server with one body.
    package static func giving(_ content: RangedContent, at path: String = "/api/dump") throws -> LoopbackServer {
        try LoopbackServer().on(.get, path) { content.answer(to: $0) }
    }

    /// The requested ranges, in order.
    package var ranges: [String?] { requests.map { $0.headers["Range"] } }
}

extension TemporaryFolder {
    /// The partial file of a target, and the record beside it.
    package func partialFile(of name: String) -> URL { file(".\(name).halyard-part") }
    package func record(of name: String) -> URL { file(".\(name).halyard-part.json") }
}
