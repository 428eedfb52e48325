import HalyardHTTP
import Testing

@testable import Halyard

/// The suggestion of a timeout names the limit that the engine reports.
struct TimeoutSuggestionTests {
    @Test(arguments: [
        (HTTPError.TimeLimit.request, 5 as Int?, "Raise the route's timeout, or try again later"),
        (
            .request, nil,
            "Raise the timeout of the client's configuration, set one on the route, or try again later"
        ),
        (.connect, 5, "Raise the connectTimeout, or try again later"),
        (.idle, nil, "Raise the idleTimeout, or try again later"),
    ])
    func `the suggestion names the exceeded limit`(limit: HTTPError.TimeLimit, timeout: Int?, expected: String) {
        var options = RequestOptions()
        options.timeout = timeout.map { .seconds($0) }
        #expect(HTTPError.exceeded(limit, reason: "").withSuggestion(for: options).suggestion == expected)
    }

    @Test func `an existing suggestion is kept, and an unknown limit adds none`() {
        let options = RequestOptions()
        #expect(HTTPError(.timedOut, suggestion: "x").withSuggestion(for: options).suggestion == "x")
        #expect(HTTPError(.timedOut).withSuggestion(for: options).suggestion == nil)
        #expect(HTTPError.cancelled.withSuggestion(for: options).suggestion == nil)
    }
}
