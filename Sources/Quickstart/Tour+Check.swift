/// A step that did not do what it says.
struct WrongStep: Error, CustomStringConvertible {
    let description: String
}

extension Tour {
    /// Says what a step did; one that did something else ends the tour.
    func check(_ step: String, _ isRight: Bool, _ words: String) throws {
        print("\(isRight ? "ok  " : "FAIL") \(step): \(words)")
        if !isRight { throw WrongStep(description: "\(step): \(words)") }
    }
}
