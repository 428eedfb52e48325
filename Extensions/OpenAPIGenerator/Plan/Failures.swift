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
    /// Moves the types of errors that most operations share to the provider. An operation keeps those that differ.
    mutating func shareFailures() {
        var counts: [ClosedRange<Int>: [(model: String, count: Int)]] = [:]
        for failure in groups.flatMap(\.operations).flatMap(\.failures) {
            var list = counts[failure.statuses] ?? []
            if let index = list.firstIndex(where: { $0.model == failure.model }) {
                list[index].count += 1
            } else {
                list.append((failure.model, 1))
            }
            counts[failure.statuses] = list
        }
        // The first of those with the largest count, whatever the order of the dictionary.
        provider.failures = counts.compactMap { statuses, list in
            list.max { $0.count < $1.count }.map { Failure(model: $0.model, statuses: statuses) }
        }
        .sorted()
        for group in groups.indices {
            for operation in groups[group].operations.indices {
                groups[group].operations[operation].failures.removeAll(where: provider.failures.contains)
            }
        }
        let all = provider.failures + groups.flatMap(\.operations).flatMap(\.failures)
        if Set(all.map(\.model)).count == 1, let model = all.first?.model {
            provider.failures = [Failure(model: model, statuses: 400...599)]
        }
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
