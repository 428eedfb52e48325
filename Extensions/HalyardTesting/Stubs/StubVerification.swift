/// The requests of a ``StubHost`` so far, compared with its stubs.
public struct StubVerification: Sendable {
    /// The problems, each as a sentence. Empty if there are none.
    public let problems: [String]
    /// The stubs in the order of the requests, each as its method and pattern.
    public let order: [String]
}

/// The error of ``StubHost/verify(order:)``.
public struct StubVerificationError: Error, CustomStringConvertible {
    /// The problems, each as a sentence.
    public let problems: [String]

    /// The problems, one a line.
    public var description: String { problems.joined(separator: "\n") }
}

/// Collects the hosts of stubs that a test makes, so that they can be verified at its end.
package final class StubCollector: Sendable {
    /// The collector of the current task. `nil` outside a test that verifies its stubs.
    @TaskLocal package static var current: StubCollector?

    private let verifications = Lock<[@Sendable () -> StubVerification]>([])

    package init() {}

    func add(_ verification: @escaping @Sendable () -> StubVerification) {
        verifications.withLock { $0.append(verification) }
    }

    /// The problems of all hosts.
    package var problems: [String] { verifications.withLock(\.self).flatMap { $0().problems } }
}
