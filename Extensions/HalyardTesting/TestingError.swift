import HalyardSystem

/// The error of a tool for tests: a server that cannot start, a cassette that cannot be used, a request or a sleeping task
/// that did not come in time, or what `StubHost.verify(order:)` has found.
///
/// It is not an `HTTPError`: a test that expects a failed request does not pass because of it.
public struct TestingError: Error, CustomStringConvertible {
    /// What is wrong, each problem as a sentence.
    public let problems: [String]
    /// The problems, one a line.
    public var description: String { problems.joined(separator: "\n") }

    init(problems: [String]) { self.problems = problems }

    init(_ problem: String) { problems = [problem] }

    /// Makes the error of a system call that has just failed.
    package init(call: String) {
        let hint = errno == EMFILE ? " (`ulimit -n` shows the limit of open descriptors)" : ""
        self.init("The loopback server cannot start: \(call): \(String(cString: strerror(errno)))\(hint)")
    }
}
