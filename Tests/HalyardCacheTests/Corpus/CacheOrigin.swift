import Foundation
import HalyardCache
import HalyardHTTP
import HalyardTesting

/// The origin server of the public cache tests: it answers each request of a case as the case says, and records it.
final class CacheOrigin: Sendable {
    /// A request that reached the origin.
    struct Received: Sendable {
        /// The number of the request in its case, from 1.
        let number: Int
        let request: RecordedRequest
        /// Whether the origin answered 304.
        var isConfirmed = false
    }

    private struct State: Sendable {
        var requests: [JSON] = []
        var id = ""
        var received: [Received] = []
        /// The header fields as they were sent, by the number of the request.
        var sent: [Int: [(String, String)]] = [:]
    }

    private let clock: ManualClock
    private let state = Lock(State())
    private let start: Double

    init(clock: ManualClock, start: Date) {
        self.clock = clock
        startInstant = clock.now
        self.start = start.timeIntervalSince1970
    }

    private let startInstant: ManualClock.Instant

    /// The requests that have reached the origin in the current case.
    var received: [Received] { state.withLock { $0.received } }

    /// The header fields that were sent for a request of the current case.
    func sent(_ number: Int) -> [(String, String)] { state.withLock { $0.sent[number] ?? [] } }

    /// The moment, in seconds since 1970.
    var now: Double { start + (clock.now - startInstant) / .seconds(1) }

    func begin(_ id: String, _ requests: [JSON]) {
        state.withLock { $0 = State(requests: requests, id: id) }
    }

    /// Answers a request.
    func answer(_ request: RecordedRequest) -> StubResponse {
        // The validation in the background of an earlier case may come late.
        guard request.path.contains(CacheCase.pathComponent(state.withLock { $0.id })) else { return .status(500) }
        let number = request.headers["Req-Num"].flatMap { Int($0) } ?? 0
        let config = state.withLock { $0.requests[number - 1] }
        if let pause = config["response_pause"].int { clock.advance(by: .seconds(pause)) }
        var received = Received(number: number, request: request)
        var status = (config["response_status"][0].int ?? 200, config["response_status"][1].string ?? "OK")
        if config["expected_type"].string?.hasSuffix("validated") == true {
            let previous = (1..<number).reversed().map(sent).first { !$0.isEmpty } ?? []
            let isConfirmed = [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")].contains {
                name, field in
                let value = previous.first { $0.0.lowercased() == name.lowercased() }?.1
                return value != nil && request.headers[field] == value
            }
            received.isConfirmed = isConfirmed
            status = isConfirmed ? (304, "Not Modified") : (999, "304 Not Generated")
        }
        let (count, id, numbers) = state.withLock { [received] state in
            state.received.append(received)
            return (state.received.count, state.id, state.received.map { "\($0.number)" }.joined(separator: " "))
        }
        if config["disconnect"].bool == true { return .raw("") }
        var fields = (config["response_headers"].array ?? []).map { field -> (String, String) in
            let name = field[0].string ?? ""
            var value = self.text(field[1], name, isRFC850: config["rfc850date"].array?.contains(.string(name)) == true)
            if config["magic_locations"].bool == true, ["Location", "Content-Location"].contains(name) {
                let base = request.path.split(separator: "/").prefix(2).joined(separator: "/")
                value = "http://\(request.headers["Host"] ?? "")/\(base)\(value.isEmpty ? "" : "/" + value)"
            }
            return (name, value)
        }
        state.withLock { [fields] in $0.sent[number] = fields }
        fields += [
            ("Server-Request-Count", "\(count)"), ("Client-Request-Count", "\(number)"),
            ("Server-Now", Self.date(now)), ("Request-Numbers", numbers),
        ]
        if !fields.contains(where: { $0.0.lowercased() == "content-type" }) {
            fields.append(("Content-Type", "text/plain"))
        }
        return Self.message(status, fields, config, request, id)
    }

    private static func message(
        _ status: (Int, String), _ fields: [(String, String)], _ config: JSON, _ request: RecordedRequest, _ id: String
    ) -> StubResponse {
        var text = ""
        for interim in config["interim_responses"].array ?? [] {
            text += "HTTP/1.1 \(interim[0].int ?? 103) Interim\r\n"
            for field in interim[1].array ?? [] { text += "\(field[0].string ?? ""): \(field[1].string ?? "")\r\n" }
            text += "\r\n"
        }
        var body = config["response_body"].string ?? id
        var fields = fields
        let hasBody = ![204, 304].contains(status.0)
        if let length = fields.first(where: { $0.0 == "Content-Length" }).flatMap({ Int($0.1) }) {
            body = String((body + String(repeating: " ", count: length)).prefix(length))
        } else if hasBody {
            fields.append(("Content-Length", "\(body.utf8.count)"))
        }
        // The server closes the connection after bytes as they are. The client must not send a POST over it.
        if !fields.contains(where: { $0.0 == "Connection" }) { fields.append(("Connection", "close")) }
        text += "HTTP/1.1 \(status.0) \(status.1)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        return .raw(text + "\r\n" + (hasBody && request.method != .head ? body : ""))
    }

    /// The text of a value: an integer in a field for a date is seconds from now.
    func text(_ value: JSON, _ name: String, isRFC850: Bool = false, from moment: Double? = nil) -> String {
        guard let seconds = value.int else { return value.string ?? "" }
        let isDate = ["date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"]
            .contains(name.lowercased())
        guard isDate else { return "\(seconds)" }
        return Self.date((moment ?? now) + Double(seconds), isRFC850: isRFC850)
    }

    static func date(_ moment: Double, isRFC850: Bool = false) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = isRFC850 ? "EEEE, dd-MMM-yy HH:mm:ss 'GMT'" : "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: Date(timeIntervalSince1970: moment))
    }
}
