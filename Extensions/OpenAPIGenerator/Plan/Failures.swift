extension Plan.Failure: Comparable {
    /// The order in which errors are tried: a status before a range of them.
    package static func < (left: Self, right: Self) -> Bool {
        (left.statuses.count, left.statuses.lowerBound) < (right.statuses.count, right.statuses.lowerBound)
    }

    /// The statuses of a response in a document: `404`, `4XX` or `default`. `nil` for a success.
    static func statuses(_ name: String) -> ClosedRange<Int>? {
        if name == "default" { return 400...599 }
        if let status = Int(name) { return status >= 400 ? status...status : nil }
        guard name.count == 3, name.uppercased().hasSuffix("XX"), let digit = name.first?.wholeNumberValue, digit >= 4
        else {
            return nil
        }
        return digit * 100...digit * 100 + 99
    }
}

extension Plan {
    /// Moves the types of errors that most operations with such types declare to the provider, but not those of a single
    /// one. An operation keeps those that differ, and those in whose place the provider would try another type.
    mutating func shareFailures() {
        let operations = groups.flatMap(\.operations).filter { !$0.failures.isEmpty }
        var counts: [Failure: Int] = [:]
        for failure in operations.flatMap(\.failures) { counts[failure, default: 0] += 1 }
        let shared = counts.filter { $0.value > 1 && $0.value * 2 > operations.count }.keys.sorted()
        provider.failures = shared
        for group in groups.indices {
            for index in groups[group].operations.indices {
                let own = groups[group].operations[index].failures
                groups[group].operations[index].failures.removeAll { failure in
                    guard let place = shared.firstIndex(of: failure) else { return false }
                    return shared[..<place].allSatisfy { own.contains($0) || !$0.statuses.overlaps(failure.statuses) }
                }
            }
        }
        let all = provider.failures + groups.flatMap(\.operations).flatMap(\.failures)
        let models = Dictionary(models.flatMap(\.all).map { ($0.path, $0.model) }) { first, _ in first }
        for failure in all { provider.errors[failure.model] = .some(models[failure.model]?.userText) }
    }
}

extension Plan.Model {
    /// The property with a text for users.
    fileprivate var userText: String? {
        guard case .object(let properties, _) = shape else { return nil }
        // The protocol's own property is the text already, and one of another type leaves no room for it.
        if let own = properties.first(where: { $0.name == "errorDescription" }) {
            return own.type == .optional(.plain("String")) ? own.name : nil
        }
        let texts = properties.filter { $0.type.unwrapped == .plain("String") }.map(\.name)
        return ["detail", "message", "title", "error"].first(where: texts.contains)
    }
}
