/// The parameters of a route or a provider: names and values, in the writer's order, duplicates kept.
///
/// ```swift
/// let search: Parameters = ["q": text, "since": date, "tags": ["a", "b"], "sort": Sort.newest, "count": 8]
/// ```
///
/// An object with values of mixed types says what it is: `["range": ["min": 1, "name": "x"] as Parameters]`.
///
/// Values may be of mixed types, each ``ParameterConvertible``; a value that is `nil` leaves its name out, and so
/// does an empty name. Where they go, query or body, is the ``ParameterEncoding``'s decision.
public struct Parameters: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        package let name: String
        package let value: ParameterValue
    }

    package private(set) var items: [Item] = []

    /// No parameters.
    public init() {}

    /// The parameters of a dictionary, in order of their names: the same ones give the same bytes each time.
    public init(_ dictionary: [String: some ParameterConvertible]) {
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(value, for: name) }
    }

    /// Whether there is nothing to send.
    public var isEmpty: Bool { items.isEmpty }

    /// Adds a parameter at the end, beside those of the same name. `nil` and an empty name add nothing.
    public mutating func append(_ value: (any ParameterConvertible)?, for name: String) {
        guard let value = value?.parameterValue, value.storage != .absent, !name.isEmpty else { return }
        items.append(Item(name: name, value: value))
    }

    /// Adds what `other` has and this has not: a name that stands here already keeps its values.
    package mutating func fill(from other: Parameters) {
        guard !other.isEmpty else { return }
        let names = Set(items.map(\.name))
        items.append(contentsOf: other.items.filter { !names.contains($0.name) })
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Parameters in the order of the literal; a name that stands twice is sent twice.
    public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
        items.reserveCapacity(elements.count)
        for (name, value) in elements { append(value, for: name) }
    }
}
