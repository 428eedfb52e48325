import ContractEngines
import Foundation
import HalyardHTTP
import TestSupport
import Testing

/// Runs cases in child processes, so that a crash or a hang affects only the child.
enum Children {
    /// The outcomes, in the order of the cases.
    static func run(_ cases: [RawCase], on engine: Engine) async throws -> [RawCase.Outcome] {
        #if os(Linux)
            let folder = try TemporaryFolder()
            let file = try folder.write(JSONEncoder().encode(cases), to: "cases")
            return try await withCheckedThrowingContinuation { continuation in
                let started = SystemThread.start {
                    continuation.resume(with: Result { try collect(cases.count, file, engine) })
                }
                if !started { continuation.resume(throwing: HTTPError(.engineUnavailable, reason: "no thread")) }
            }
        #else
            // On this system, no engine is known to crash.
            let transport = engine.make()
            var outcomes: [RawCase.Outcome] = []
            for one in cases { outcomes.append(await one.run(transport)) }
            return outcomes
        #endif
    }

    #if os(Linux)
        /// Starts children in sequence until each case has an outcome. If a child crashes, that is the outcome of its
        /// case.
        private static func collect(_ count: Int, _ file: URL, _ engine: Engine) throws -> [RawCase.Outcome] {
            var outcomes: [RawCase.Outcome] = []
            while outcomes.count < count {
                let child = try ChildProcess(
                    ofPackage: "contract-child", [engine.rawValue, file.path, "\(outcomes.count)"])
                let (output, end) = try child.wait()
                for line in output.split(separator: UInt8(ascii: "\n")) {
                    outcomes.append(try JSONDecoder().decode(RawCase.Outcome.self, from: Data(line)))
                }
                // Under thread sanitizer a child fails if a race was found, even if all cases are complete.
                guard outcomes.count < count else {
                    if end != .exited(0) { throw Unclean(end: end) }
                    break
                }
                switch end {
                case .killed(SIGALRM): outcomes.append(.froze)
                case .killed(let signal), .exited(let signal): outcomes.append(.ended(signal: Int(signal)))
                }
            }
            return outcomes
        }

        struct Unclean: Error { let end: ChildProcess.End }
    #endif
}

/// A raw response, and the expected outcome.
struct Row: Sendable {
    enum Expected: Sendable {
        case response(Int, String)
        case error
        /// A response or an error.
        case either
    }

    let sent: RawCase
    let expected: Expected
    /// The engines that currently fail this case, and the reasons.
    var shortfalls: [Engine: Comment] = [:]
    /// Whether they fail only sometimes.
    var isIntermittent = false

    init(
        _ name: String, _ responses: String..., method: String = "GET", body: String? = nil,
        within limit: Duration = .seconds(3),
        is expected: Expected, butCorelibs: Comment? = nil
    ) {
        let raw = responses.map { Data($0.utf8) }
        self.init(
            RawCase(name, method: method, body: body.map { Data($0.utf8) }, responses: raw, limit: limit / .seconds(1)),
            is: expected,
            butCorelibs: butCorelibs)
    }

    init(_ sent: RawCase, is expected: Expected, butCorelibs: Comment? = nil) {
        self.sent = sent
        self.expected = expected
        for engine in Engine.wire {
            shortfalls[engine] = engine.isCorelibs ? butCorelibs : nil
        }
    }

    /// Runs rows in a child process, and compares each outcome with the expected one.
    static func check(_ rows: [Row], on engine: Engine) async throws {
        let outcomes = try await Children.run(rows.map(\.sent), on: engine)
        try #require(outcomes.count == rows.count)
        for (row, outcome) in zip(rows, outcomes) {
            if let shortfall = row.shortfalls[engine] {
                withKnownIssue(shortfall, isIntermittent: row.isIntermittent) { row.expect(outcome) }
            } else {
                row.expect(outcome)
            }
        }
    }

    private func expect(_ outcome: RawCase.Outcome) {
        switch expected {
        case .response(let status, let body):
            #expect(outcome.status == status && outcome.body == Data(body.utf8), "\(sent.name): \(outcome)")
        case .error:
            #expect(outcome.isInOrder && outcome.status == nil, "\(sent.name): \(outcome)")
        case .either:
            #expect(outcome.isInOrder, "\(sent.name): \(outcome)")
        }
    }
}
