import HalyardTracing
import TestSupport

// What the article on tracing uses of the packages swift-distributed-tracing, swift-log and swift-metrics. The project
// has no dependencies: these types have the same declarations, and write to a journal.

/// What the types below were told.
struct Journal: Sendable {
    @TaskLocal static var current = Journal()
    let lines = Log<String>()
}

struct ServiceContext: Sendable { var name = "" }

protocol Injector: Sendable {
    associatedtype Carrier
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

struct Instrument: Sendable {
    func inject<I: Injector>(_ context: ServiceContext, into carrier: inout I.Carrier, using injector: I) {
        injector.inject(context.name, forKey: "x-span", into: &carrier)
    }
}

enum InstrumentationSystem { static let instrument = Instrument() }

struct SpanStatus: Sendable {
    enum Code: Sendable { case ok, error }
    var code: Code
    init(code: Code, message: String? = nil) { self.code = code }
}

struct SpanAttributes: Sendable {
    private var values: [String: String] = [:]
    subscript(_ name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }
}

enum SpanKind { case client }

enum Tracing {
    protocol Span: AnyObject, Sendable {
        var context: ServiceContext { get }
        var attributes: SpanAttributes { get set }
        func setStatus(_ status: SpanStatus)
        func end()
    }

    static func startSpan(_ name: String, ofKind kind: SpanKind) -> any Span { JournalSpan(name) }

    private final class JournalSpan: Span {
        let context: ServiceContext
        private let values = Lock(SpanAttributes())
        private let status = Lock(SpanStatus.Code.ok)

        init(_ name: String) { context = ServiceContext(name: name) }

        var attributes: SpanAttributes {
            get { values.withLock(\.self) }
            set { values.withLock { $0 = newValue } }
        }

        func setStatus(_ status: SpanStatus) { self.status.withLock { $0 = status.code } }

        func end() {
            let code = attributes["http.response.status_code"] ?? "-"
            Journal.current.lines.add("span \(context.name) \(status.withLock(\.self)) \(code)")
        }
    }
}

struct Logger: Sendable {
    enum Level: Sendable { case debug, error }
    let label: String

    func log(level: Level, _ message: String, metadata: [String: String]) {
        Journal.current.lines.add("\(level) \(label) \(message) \(metadata)")
    }
}

enum Metrics {
    struct Counter {
        let label: String
        func increment() { Journal.current.lines.add(label) }
    }

    struct Timer {
        let label: String, dimensions: [(String, String)]
        func record(duration: Duration) {
            Journal.current.lines.add("\(label) \(dimensions.map(\.1).joined())")
        }
    }
}
