/// The error of a step with an unexpected result.
struct WrongStep: Error, CustomStringConvertible {
    let description: String
}

extension Tour {
    /// Prints the result of a step. Throws an error that ends the program if the result is not the expected one.
    func check(_ step: String, _ isRight: Bool, _ words: String) throws {
        print("\(isRight ? "ok  " : "FAIL") \(step): \(words)")
        if !isRight { throw WrongStep(description: "\(step): \(words)") }
    }
}
