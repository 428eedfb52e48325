/// The parameters of a route or a provider: names and values in their order. Duplicate names are kept.
///
/// ```swift
/// let search: Parameters = ["q": text, "since": date, "tags": ["a", "b"], "sort": Sort.newest, "count": 8]
/// ```
///
/// Values may be of different types, each of them ``ParameterConvertible``. A value that is `nil` is left out, and so
/// is an empty name. For an object whose values have different types write `as Parameters`: `["range": ["min": 1,
/// "name": "x"] as Parameters]`. The ``ParameterEncoding`` decides whether they go to the query or the body.
public struct Parameters: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        package let name: String
        package let value: ParameterValue
    }

    package private(set) var items: [Item] = []

    /// Makes empty parameters.
    public init() {}

    /// Makes the parameters of a dictionary, in the order of their names, so that equal dictionaries give equal bytes.
    public init(_ dictionary: [String: some ParameterConvertible]) {
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(value, for: name) }
    }

    /// Whether there are no parameters.
    public var isEmpty: Bool { items.isEmpty }

    /// Appends a parameter. Others of the same name are kept. `nil` and an empty name add nothing.
    public mutating func append(_ value: (any ParameterConvertible)?, for name: String) {
        guard let value = value?.parameterValue, value.storage != .omitted, !name.isEmpty else { return }
        items.append(Item(name: name, value: value))
    }

    /// Sets a parameter. It replaces all parameters of the same name, at the place of the first.
    package mutating func set(_ value: ParameterValue, for name: String) {
        let place = items.firstIndex { $0.name == name } ?? items.endIndex
        items.removeAll { $0.name == name }
        items.insert(Item(name: name, value: value), at: place)
    }

    /// Adds the parameters of `other` whose names are not present.
    ///
    /// - Parameter excluded: More names that are not added.
    package mutating func fill(from other: Parameters, except excluded: Set<String> = []) {
        guard !other.isEmpty else { return }
        let names = excluded.union(items.map(\.name))
        items.append(contentsOf: other.items.filter { !names.contains($0.name) })
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Makes parameters from a dictionary literal, in its order. Duplicate names are kept.
    public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
        items.reserveCapacity(elements.count)
        for (name, value) in elements { append(value, for: name) }
    }
}
