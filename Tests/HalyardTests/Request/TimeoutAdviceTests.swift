import Testing

@testable import Halyard

struct TimeoutAdviceTests {
    private static let client = "Raise the timeout of the client's configuration, or give the route one of its own"
    private static let silence = "Raise idleTimeout or connectTimeout of the client's configuration"

    @Test(arguments: [
        (5, nil, 5, "Raise the route's timeout"), (5, 3, 5, "Raise the route's timeout"), (nil, 3, 3, client),
        (nil, nil, 60, silence), (300, nil, 60, silence), (nil, 300, 15, silence),
        (300, nil, 300, "Raise the route's timeout"),
        // A test's clock lets no time pass.
        (nil, 300, 0, client), (300, nil, 0, "Raise the route's timeout"),
    ])
    func theLimitThatPassedIsTheOneToRaise(route: Int?, client: Int?, elapsed: Int, expected: String) {
        let advice = TimeoutAdvice(
            route: route.map { .seconds($0) }, client: .init(timeout: client.map { .seconds($0) }),
            elapsed: .seconds(elapsed))
        #expect(advice.text == expected + ", or try again later")
    }

    @Test func whatKnowsBetterAndOtherErrorsStay() {
        let advice = TimeoutAdvice(route: .seconds(5), client: .init(), elapsed: .seconds(5))
        #expect(
            (advice.added(to: HTTPError.timedOut) as? HTTPError)?.suggestion?.hasPrefix("Raise the route's") == true)
        #expect((advice.added(to: HTTPError(.timedOut, suggestion: "x")) as? HTTPError)?.suggestion == "x")
        #expect((advice.added(to: HTTPError.cancelled) as? HTTPError)?.suggestion == nil)
        #expect(advice.added(to: CancellationError()) is CancellationError)
    }
}
