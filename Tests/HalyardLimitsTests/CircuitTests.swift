import TestSupport
import Testing

@testable import HalyardLimits

/// The circuit of one origin, without requests.
struct CircuitTests {
    private let rules = Circuit.Rules(
        failures: 3, ratio: 0.5, window: .seconds(10), pause: .seconds(5), probes: 2)

    private func opened(at now: Duration) throws -> Circuit {
        var circuit = Circuit(rules)
        for _ in 0..<3 { _ = circuit.record(.failure, of: try circuit.pass(at: now).0, at: now) }
        #expect(circuit.refusal(at: now) == .init(delay: .seconds(5)))
        return circuit
    }

    @Test func `the circuit opens at the configured number and share of failures within the window`() throws {
        var circuit = Circuit(rules)
        func record(_ outcome: CircuitOutcome, at seconds: Int) throws -> Circuit.Transition? {
            let now = Duration.seconds(seconds)
            return circuit.record(outcome, of: try circuit.pass(at: now).0, at: now)
        }
        // Too few, then too old, then too small a share.
        for second in [0, 1, 20, 21] { #expect(try record(.failure, at: second) == nil) }
        for _ in 0..<3 { #expect(try record(.success, at: 22) == nil) }
        for _ in 0..<9 { #expect(try record(.ignored, at: 22) == nil) }
        #expect(try record(.failure, at: 22) == .opened(failures: 3, of: 6))
    }

    @Test func `after the pause a limited number of probes run at once, and successes close the circuit`() throws {
        var circuit = try opened(at: .zero)
        #expect(throws: Circuit.Refusal(delay: .seconds(1))) { try circuit.pass(at: .seconds(4)) }
        let (first, transition) = try circuit.pass(at: .seconds(5))
        #expect(transition == .halfOpened)
        let (second, none) = try circuit.pass(at: .seconds(5))
        #expect(none == nil)
        #expect(throws: Circuit.Refusal(delay: nil)) { try circuit.pass(at: .seconds(99)) }
        let results = [
            circuit.record(.ignored, of: first, at: .seconds(6)),
            circuit.record(.success, of: second, at: .seconds(6)),
            circuit.record(.success, of: try circuit.pass(at: .seconds(7)).0, at: .seconds(7)),
        ]
        #expect(results == [nil, nil, .closed])
        #expect(circuit.isIdle(at: .seconds(7)))
    }

    @Test func `a failed probe opens the circuit again`() throws {
        var circuit = try opened(at: .zero)
        let passes = [try circuit.pass(at: .seconds(5)).0, try circuit.pass(at: .seconds(5)).0]
        let transition = circuit.record(.failure, of: passes[0], at: .seconds(6))
        #expect(transition == .opened(failures: 1, of: 1))
        let late = circuit.record(.success, of: passes[1], at: .seconds(6))
        #expect(late == nil && circuit.refusal(at: .seconds(10)) == .init(delay: .seconds(1)))
    }

    @Test func `the outcome of a request sent before the circuit opened does not count`() throws {
        var circuit = Circuit(rules)
        let early = [try circuit.pass(at: .zero).0, try circuit.pass(at: .zero).0]
        for _ in 0..<3 { _ = circuit.record(.failure, of: try circuit.pass(at: .zero).0, at: .zero) }
        let probes = [try circuit.pass(at: .seconds(5)).0, try circuit.pass(at: .seconds(5)).0]
        let results = [
            circuit.record(.failure, of: early[0], at: .seconds(6)),
            circuit.record(.success, of: early[1], at: .seconds(6)),
            circuit.record(.success, of: probes[0], at: .seconds(6)),
            circuit.record(.success, of: probes[1], at: .seconds(6)),
        ]
        #expect(results == [nil, nil, nil, .closed])
    }

    @Test(arguments: 0..<20)
    func `an open circuit passes nothing, a half-open one passes few, and it recovers`(seed: UInt64) throws {
        var random = Seeded(seed)
        var circuit = Circuit(rules)
        var now = Duration.zero
        var passes: [(pass: Circuit.Pass, isProbe: Bool)] = []
        var openUntil: Duration?
        var isHalfOpen = false
        var openings = 0
        for step in 0..<6000 {
            // The origin fails for a while, and then works.
            let isDown = step % 2000 < 1000
            now += .milliseconds(Int.random(in: 0...200, using: &random))
            if Bool.random(using: &random) || passes.isEmpty {
                let probes = passes.filter(\.isProbe).count
                guard let (pass, transition) = try? circuit.pass(at: now) else {
                    #expect(openUntil != nil || isHalfOpen && probes == 2)
                    continue
                }
                #expect(openUntil.map { $0 <= now } ?? true)
                if transition == .halfOpened { (openUntil, isHalfOpen) = (nil, true) }
                if isHalfOpen { #expect(probes < 2) }
                passes.append((pass, isHalfOpen))
            } else {
                let (pass, _) = passes.remove(at: Int.random(in: passes.indices, using: &random))
                switch circuit.record(isDown ? .failure : .success, of: pass, at: now) {
                case .opened:
                    (openUntil, isHalfOpen) = (now + .seconds(5), false)
                    openings += 1
                    passes = passes.map { ($0.pass, false) }
                case .closed:
                    isHalfOpen = false
                    passes = passes.map { ($0.pass, false) }
                default: break
                }
            }
            // It has recovered at the end of the time in which the origin works.
            if step % 2000 == 1999 { #expect(openUntil == nil && !isHalfOpen) }
        }
        #expect(openings >= 3)
    }

    @Test(arguments: 0..<10)
    func `the window counts an outcome for at least nine tenths of its length and never for more`(seed: UInt64) {
        var random = Seeded(seed)
        var window = OutcomeWindow(.seconds(10))
        var outcomes: [(time: Duration, isFailure: Bool)] = []
        var now = Duration.seconds(-30)
        for _ in 0..<1000 {
            now += .milliseconds(Int.random(in: 0...400, using: &random))
            let isFailure = Bool.random(using: &random)
            window.add(isFailure ? .failure : .success, at: now)
            outcomes.append((now, isFailure))
            let (failures, all) = window.counts(at: now)
            let (long, short) = (
                outcomes.filter { $0.time > now - .seconds(10) }, outcomes.filter { $0.time > now - .seconds(9) }
            )
            #expect((short.count...long.count).contains(all))
            #expect((short.filter(\.isFailure).count...long.filter(\.isFailure).count).contains(failures))
        }
    }
}
