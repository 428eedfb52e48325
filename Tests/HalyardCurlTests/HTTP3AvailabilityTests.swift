import HalyardHTTP
import Testing

@testable import HalyardCurl

/// When HTTP/3 is tried.
struct HTTP3AvailabilityTests {
    private let start = MonotonicInstant(nanoseconds: 0)

    private func state(_ field: String, assumed: Bool = false) throws -> HTTP3Availability {
        var state = HTTP3Availability(isAssumed: assumed)
        let services = (["Alt-Svc": field] as HTTPHeaders).alternativeServices
        try state.learn(#require(services), of: Origin(ofURL: "https://a.example"), start)
        return state
    }

    @Test(arguments: [
        ("h3=\":443\"", true), ("h2=\":443\", h3=\"a.example:443\"", true), ("h3=\":8443\"", false),
        ("h3=\"b.example:443\"", false), ("h2=\":443\"", false), ("h3-29=\":443\"", false),
        ("h3=\":443\"; ma=0", false),
        ("clear", false), ("h3=\":443\"; ma=999999999999999999", true),
    ])
    func `it is tried where the server offers it for the same host and port`(field: String, isTried: Bool) throws {
        #expect(try state(field).isTried(start) == isTried)
        #expect(try state(field, assumed: true).isTried(start))
    }

    @Test func `an offer ends after its time`() throws {
        let state = try state("h3=\":443\"; ma=60")
        #expect(state.isTried(start.advanced(milliseconds: 59_999)))
        #expect(!state.isTried(start.advanced(milliseconds: 60_000)))
    }

    @Test func `after a failure it is not tried for five minutes`() throws {
        var state = try state("h3=\":443\"")
        state.failed(start)
        #expect(!state.isTried(start.advanced(milliseconds: 299_999)))
        #expect(state.isTried(start.advanced(milliseconds: 300_000)))
    }

    @Test func `a failure soon after a success does not count`() throws {
        var state = try state("h3=\":443\"")
        state.succeeded(start)
        state.failed(start.advanced(milliseconds: 29_999))
        #expect(state.isTried(start.advanced(milliseconds: 29_999)))
        state.failed(start.advanced(milliseconds: 30_000))
        #expect(!state.isTried(start.advanced(milliseconds: 30_000)))
        state.succeeded(start.advanced(milliseconds: 30_001))
        #expect(state.isTried(start.advanced(milliseconds: 30_001)))
    }

    @Test func `a connection that brings no response counts also soon after a success`() throws {
        var state = try state("h3=\":443\"")
        state.succeeded(start)
        state.broke(start)
        #expect(!state.isTried(start.advanced(milliseconds: 299_999)))
        #expect(state.isTried(start.advanced(milliseconds: 300_000)))
    }

    @Test func `a server that is not one of the origin ends the offer`() throws {
        var offered = try state("h3=\":443\"")
        offered.misdirected(start)
        #expect(!offered.isTried(start.advanced(milliseconds: 300_000)))
        var assumed = try state("clear", assumed: true)
        assumed.misdirected(start)
        #expect(!assumed.isTried(start) && assumed.isTried(start.advanced(milliseconds: 300_000)))
    }

    @Test func `nothing is tried without an offer`() { #expect(!HTTP3Availability().isTried(start)) }
}
