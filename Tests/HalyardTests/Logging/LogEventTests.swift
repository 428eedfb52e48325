import Foundation
import Halyard
import TestSupport
import Testing

/// The text of log events.
struct LogEventTests {
    private func request(_ body: String? = nil) throws -> HTTPRequest {
        try HTTPRequest(
            .post, try #require(URL(string: "https://api.example.com/users/1?q=a&token=s3cret")),
            headers: ["Accept": "*/*", "Authorization": "Bearer s3cret", "Content-Type": "application/json"],
            body: body.map { HTTPBody(Data($0.utf8)) })
    }

    private func response(_ status: Int, _ type: String, _ body: String) throws -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": type, "Set-Cookie": "id=s3cret", "X-Odd": "a\u{9B}b"],
            data: Data(body.utf8), url: try request().url)
    }

    private let shown = "POST https://api.example.com/users/1?q=a&token=***"

    @Test func `a sent request is described at each level of detail`() throws {
        let event = LogEvent(.sent, .init(), try request(#"{"name":"Ann","pin":"s3cret"}"#))
        #expect(event.description == "→ \(shown)")
        #expect(event.text(.lines) == event.description)
        let headers = "→ \(shown)\n  Accept: */*\n  Authorization: Bearer ***\n  Content-Type: application/json"
        #expect(event.text(.headers) == headers)
        #expect(event.text(.bodies) == headers + "\n  {\"name\":\"Ann\",\"pin\":\"***\"}")
    }

    @Test func `a response is described at each level of detail`() throws {
        var event = LogEvent(.response, .init(), try request())
        event.response = try response(200, "text/plain", "token=s3cret\u{1B}[2J\nb")
        event.duration = .milliseconds(34)
        #expect(event.description == "← 200 \(shown) 18 B in 34 ms")
        #expect(
            event.text(.bodies)
                == """
                ← 200 \(shown) 18 B in 34 ms
                  Content-Type: text/plain
                  Set-Cookie: ***
                  X-Odd: a b
                  token=*** [2J b
                """)
    }

    @Test func `a failure is one line with its reason and suggestion`() throws {
        var event = LogEvent(.failed, .init(), try request())
        event.error = HTTPError(.timedOut, reason: "after\nthe token=s3cret", request: try request())
        #expect(
            event.description == """
                ✗ \(shown): The request timed out: after the token=***. Raise the time limit, or try \
                again later
                """)
        event.error = CancellationError()
        #expect(event.description == "✗ \(shown): CancellationError()")
        var unbuilt = LogEvent(.failed, .init(), nil)
        unbuilt.error = HTTPError(.invalidMethod("A B"), suggestion: "Do")
        #expect(unbuilt.description == "✗ a request: The method \"A B\" cannot be used. Do")
    }

    @Test func `redirects, retries and metrics are described`() throws {
        var redirected = LogEvent(.redirected, .init(), try request())
        redirected.response = try response(302, "text/html", "")
        redirected.next = try HTTPRequest(.get, try #require(URL(string: "https://h/?code=s3cret")))
        #expect(redirected.description == "↪ 302 \(shown) → GET https://h/?code=***")
        var retried = LogEvent(.retried, .init(), try request())
        (retried.attempt, retried.delay, retried.error) = (2, .seconds(1.5), HTTPError.connectionLost)
        #expect(retried.description == "↻ \(shown) attempt 2 in 1.5 s after: The connection was lost")
        var measured = LogEvent(.metrics, .init(), try request())
        var metrics = TransferMetrics()
        (metrics.firstByte, metrics.total) = (.milliseconds(12), .microseconds(12_345))
        (metrics.bytesReceived, metrics.httpVersion, metrics.isConnectionReused) = (1234, "HTTP/2", true)
        measured.metrics = metrics
        #expect(
            measured.description
                == "⏱ \(shown) first byte 12 ms, total 12 ms, 0 B sent, 1.2 kB received, HTTP/2, used connection")
    }

    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"), (999_999, "999.9 kB"), (1_000_000, "1.0 MB"),
        (2_500_000_000, "2.5 GB"), (Int64.max, "9223372.0 TB"),
    ])
    func `byte counts are human-readable`(_ bytes: Int64, _ text: String) throws {
        var event = LogEvent(.metrics, .init(), nil)
        var metrics = TransferMetrics()
        metrics.bytesSent = bytes
        event.metrics = metrics
        #expect(event.description.contains("total 0.0 ms, \(text) sent"))
    }

    @Test func `a body without names is logged by its length, and long text is truncated`() throws {
        var event = LogEvent(.response, .init(), try request())
        event.response = try response(200, "application/octet-stream", "\u{1}s3cret")
        #expect(event.text(.bodies).hasSuffix("\n  (7 B of application/octet-stream)"))
        event.response = try response(200, "application/json", #"{"token":"s3cret"#)
        #expect(event.text(.bodies).hasSuffix("\n  (16 B of application/json)"))
        event.response = try response(200, "application/json", #"{"a":["b","https://u:s3cret@h"]}"#)
        #expect(event.text(.bodies).hasSuffix(#"{"a":["b","https://h"]}"#))
        event.response = try response(200, "text/plain", String(repeating: "x", count: 5000))
        #expect(event.text(.bodies).hasSuffix("\n  " + String(repeating: "x", count: 2000)))
    }

    @Test func `a silent log receives no event, and any other receives each event`() throws {
        let lines = Lock<[String]>([])
        let event = LogEvent(.sent, .init(), try request())
        let metrics = LogEvent(.metrics, .init(), try request())
        for detail in [EventLog.Detail.lines, .headers] {
            let log = EventLog.printing(detail) { text in lines.withLock { $0.append(text) } }
            log(event)
            log(metrics)
        }
        #expect(
            lines.withLock { $0 }
                == [event, event, metrics].enumerated().map { $1.text($0 == 0 ? .lines : .headers) + "\n" })
        #expect(EventLog.silent.isSilent && !EventLog.console.isSilent)
        EventLog.silent(event)
        let count = Lock(0)
        EventLog.custom { _ in count.withLock { $0 += 1 } }(event)
        #expect(count.withLock { $0 } == 1)
    }

    @Test func `logs can be combined`() throws {
        let event = LogEvent(.sent, .init(), try request())
        let lines = Lock<[String]>([])
        let logs = ["a", "b"].map { name in EventLog.custom { _ in lines.withLock { $0.append(name) } } }
        EventLog.combined(logs[0], .silent, logs[1])(event)
        EventLog.combined(.silent, logs[1])(event)
        #expect(lines.withLock { $0 } == ["a", "b", "b"])
        #expect(EventLog.combined().isSilent && EventLog.combined(.silent, .silent).isSilent)
    }

    @Test func `each request has its own number`() {
        let (first, second) = (LogEvent.ID(), LogEvent.ID())
        #expect(first != second && second.number > first.number)
        #expect("\(first)" == "#\(first.number)")
    }
}
