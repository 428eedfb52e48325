public import Testing

/// Names the entries of `Tests/Acceptance/Behaviours.md` that a test covers. `Tests/Acceptance/behaviours.py` checks
/// that each entry has a test, and that no test names an entry that is not there.
public struct BehaviorTrait: TestTrait {
    /// The entries: a number for a behaviour, a letter and a number for any other.
    public let entries: [String]
}

extension Trait where Self == BehaviorTrait {
    /// The test covers behaviours of the table.
    ///
    /// - Parameter numbers: Their numbers.
    public static func behaviors(_ numbers: Int...) -> Self { BehaviorTrait(entries: numbers.map(String.init)) }

    /// The test fails if a defect of an earlier library returns.
    ///
    /// - Parameter names: The defects' names in the table.
    public static func defects(_ names: String...) -> Self { BehaviorTrait(entries: names) }

    /// The test injects faults of the table.
    ///
    /// - Parameter numbers: Their numbers.
    public static func faults(_ numbers: Int...) -> Self { BehaviorTrait(entries: numbers.map { "F\($0)" }) }

    /// The test has an example of an earlier library's documentation.
    ///
    /// - Parameter names: The examples' names in the table.
    public static func examples(_ names: String...) -> Self { BehaviorTrait(entries: names.map { "E\($0)" }) }
}
