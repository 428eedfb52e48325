import HalyardTracing
import Testing

/// The fields of the recommendation Trace Context, level 1 and 2.
struct TraceContextTests {
    static let traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `traceparent and tracestate are parsed and written`() throws {
        let context = try #require(TraceContext(traceparent: Self.traceparent, tracestate: "a=1, b@c=x y ,"))
        #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanID == "00f067aa0ba902b7")
        #expect(context.isSampled)
        #expect(context.state == "a=1,b@c=x y")
        #expect(context.traceparent == Self.traceparent)
    }

    @Test(arguments: [
        ("00", false, "00"), ("01", true, "01"), ("02", false, "02"), ("03", true, "03"), ("fd", true, "01"),
    ])
    func `unknown flags are not passed on`(flags: String, isSampled: Bool, sent: String) throws {
        let context = try #require(TraceContext(traceparent: Self.traceparent.dropLast(2) + flags))
        #expect(context.isSampled == isSampled)
        #expect(context.traceparent == Self.traceparent.dropLast(2) + sent)
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7", "ff" + traceparent.dropFirst(2),
        "0g" + traceparent.dropFirst(2), traceparent.uppercased(), traceparent + "-00", traceparent + ".00",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "01" + traceparent.dropFirst(2) + "x",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x", " " + traceparent,
    ])
    func `an invalid traceparent is refused`(text: String) { #expect(TraceContext(traceparent: text) == nil) }

    @Test func `a later version may have more fields`() {
        let text = "cc" + Self.traceparent.dropFirst(2)
        #expect(TraceContext(traceparent: text)?.traceparent == Self.traceparent)
        #expect(TraceContext(traceparent: text + "-what-the-future")?.traceparent == Self.traceparent)
    }

    @Test(arguments: [
        "a", "A=1", "a=b=c", "=1", "a=", "a=\u{7F}", "a=\u{E9}", "a=1,b", String(repeating: "k", count: 257) + "=1",
        "a=" + String(repeating: "v", count: 257), (0..<33).map { "k\($0)=1" }.joined(separator: ","),
    ])
    func `an invalid tracestate is ignored`(text: String) {
        #expect(TraceContext(traceparent: Self.traceparent, tracestate: text)?.state == "")
    }

    @Test func `32 tracestate members are kept`() {
        let state = (0..<32).map { "k\($0)=\($0)" }.joined(separator: ",")
        #expect(TraceContext(traceparent: Self.traceparent, tracestate: state)?.state == state)
    }

    @Test func `new traces are random, and children belong to the same trace`() throws {
        let contexts = (0..<100).map { _ in TraceContext.random() }
        #expect(Set(contexts.map(\.traceID)).count == 100 && Set(contexts.map(\.spanID)).count == 100)
        for context in contexts {
            #expect(context.traceparent.hasSuffix("-03"))
            #expect(TraceContext(traceparent: context.traceparent) == context)
            let child = context.child()
            #expect(child.traceID == context.traceID && child.spanID != context.spanID && child.isSampled)
        }
        #expect(TraceContext.random(isSampled: false).traceparent.hasSuffix("-02"))
        let parent = try #require(TraceContext(traceparent: Self.traceparent, tracestate: "a=1"))
        #expect(parent.child().state == "a=1")
    }
}
