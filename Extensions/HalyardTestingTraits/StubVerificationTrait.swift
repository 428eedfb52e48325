import HalyardTesting
public import Testing

/// A trait that verifies all stubs a test creates, when the test ends. Write it as `.verifyingStubs`.
///
/// ```swift
/// @Test(.verifyingStubs) func `a user is loaded`() async throws {
///     let stub = StubTransport().on(.get, "/user/{id}", .json(user))
///     #expect(try await MusicAPI(client: HTTPClient(transport: stub)).user("1").name == "Ann")
/// }
/// ```
///
/// The test fails for each stub that was not requested, or not as often as it says, and for each request that no stub
/// matched, even if the code under test ignored the error. The trait covers every `StubTransport` and `LoopbackServer`
/// that the test's task and its child tasks create. On a suite, it applies to all tests in the suite.
public struct StubVerificationTrait: TestTrait, SuiteTrait, TestScoping {
    package init() {}

    /// Whether the trait of a suite also applies to the tests in it. Always `true`.
    public var isRecursive: Bool { true }

    /// Runs a test and records an issue for each problem with its stubs.
    ///
    /// - Parameters:
    ///   - testCase: The case of the test. `nil` for a suite, which is not verified itself.
    ///   - function: A closure that runs the test.
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
    /// A trait that verifies all stubs the test creates, when it ends. See ``StubVerificationTrait``.
    public static var verifyingStubs: Self { Self() }
}
