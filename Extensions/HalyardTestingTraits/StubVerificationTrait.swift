import HalyardTesting
public import Testing

/// Verifies all stubs that a test makes, at its end. Write it as `.verifyingStubs`.
///
/// ```swift
/// @Test(.verifyingStubs) func `a user is loaded`() async throws {
///     let stub = StubTransport().on(.get, "/user/{id}", .json(user))
///     #expect(try await MusicAPI(client: HTTPClient(transport: stub)).user("1").name == "Ann")
/// }
/// ```
///
/// The test fails for each stub that was not requested, or not as often as it says, and for each request that no stub
/// matched, even if the code under test ignored the error. It concerns every `StubTransport` and `LoopbackServer` that
/// the test's task and its child tasks make. On a suite it concerns all of its tests.
public struct StubVerificationTrait: TestTrait, SuiteTrait, TestScoping {
    package init() {}

    /// Whether the trait of a suite concerns the tests in it. It does.
    public var isRecursive: Bool { true }

    /// Runs a test, and records an issue for each problem of its stubs.
    ///
    /// - Parameters:
    ///   - testCase: The case of the test. `nil` for a suite, which is not verified itself.
    ///   - function: Runs the test.
    /// - Throws: The error of the test.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let collector = StubCollector()
        try await StubCollector.$current.withValue(collector, operation: function)
        for problem in collector.problems {
            Issue.record("\(problem)", sourceLocation: test.sourceLocation)
        }
    }
}

extension Trait where Self == StubVerificationTrait {
    /// Verifies all stubs that the test makes, at its end. See ``StubVerificationTrait``.
    public static var verifyingStubs: Self { Self() }
}
