public import HalyardFoundation
import HalyardHTTP

/// The parameters of a route or a provider: names and values, in order. Duplicate names are kept.
///
/// ```swift
/// let search: Parameters = ["q": text, "since": date, "tags": ["a", "b"], "sort": Sort.newest, "count": 8]
/// ```
///
/// Values can be of different ``ParameterConvertible`` types. A `nil` value or an empty name leaves the parameter out.
/// The ``ParameterEncoding`` decides whether parameters go into the query or the body. For an object whose values
/// differ in type, write `as Parameters`: `["range": ["min": 1, "name": "x"] as Parameters]`.
public struct Parameters: Sendable, Hashable {
    package struct Item: Sendable, Hashable {
        package let name: String
        package let value: ParameterValue
    }

    package private(set) var items: [Item] = []

    /// Creates an empty collection of parameters.
    public init() {}

    /// Creates parameters from a dictionary, sorted by name, so that equal dictionaries produce equal bytes.
    public init(_ dictionary: [String: some ParameterConvertible]) {
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) { append(value, for: name) }
    }

    /// Whether there are no parameters.
    public var isEmpty: Bool { items.isEmpty }

    /// Appends a parameter and keeps others with the same name. `nil` or an empty name adds nothing.
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

    /// Adds the parameters of `other` whose names are neither present nor excluded.
    package mutating func fill(from other: Parameters, except excluded: Set<String> = []) {
        guard !other.isEmpty else { return }
        let names = excluded.union(items.map(\.name))
        items.append(contentsOf: other.items.filter { !names.contains($0.name) })
    }
}

extension Parameters: ExpressibleByDictionaryLiteral {
    /// Creates parameters from a dictionary literal, in its order. Duplicate names are kept.
    public init(dictionaryLiteral elements: (String, (any ParameterConvertible)?)...) {
        items.reserveCapacity(elements.count)
        for (name, value) in elements { append(value, for: name) }
    }
}

/// The value of a parameter, which every encoding can write.
///
/// Use it to send values of your own types as parameters. See ``ParameterConvertible``.
public struct ParameterValue: Sendable, Hashable {
    package enum Storage: Sendable, Hashable {
        /// `nil`: the parameter is left out.
        case omitted
        /// An explicit null.
        case null
        case text(String)
        /// A URL. In a multipart form, the URL of a file is the file. Otherwise it is text.
        case url(URL)
        /// A file to upload. It makes the encoding multipart.
        case file(URL)
        case flag(Bool)
        case integer(Int)
        /// A number that is not an `Int`, in decimal.
        case number(String)
        case list([ParameterValue])
        case members(Parameters)
        /// A value that no encoding can write, such as NaN, with the member that has it.
        case unwritable(_ reason: String, member: String = "")
    }

    package let storage: Storage
    /// The number of nested lists and objects, with this one.
    fileprivate let depth: Int

    /// The maximum depth. Code that writes, compares or releases the value needs a stack frame for each level.
    private static let maximumDepth = 511

    /// Makes a value. A list or object is unwritable if a part of it is, or if it is nested too deep, so that code that
    /// writes values need not check.
    package init(_ storage: Storage) {
        let depth = storage.depth
        let isTooDeep = depth > Self.maximumDepth
        let problem =
            isTooDeep ? .unwritable("it is nested more than \(Self.maximumDepth) levels deep") : storage.problem
        self.storage = problem ?? storage
        self.depth = problem == nil ? depth : 0
    }

    /// Returns a text value.
    public static func text(_ text: String) -> ParameterValue { ParameterValue(.text(text)) }
}

extension ParameterValue.Storage {
    fileprivate var depth: Int {
        switch self {
        case .list(let values): values.reduce(0) { max($0, $1.depth) } + 1
        case .members(let members): members.items.reduce(0) { max($0, $1.value.depth) } + 1
        default: 0
        }
    }

    /// The first part of a list or object that cannot be written.
    fileprivate var problem: Self? {
        switch self {
        case .list(let values): values.lazy.map(\.storage).first(where: \.isUnwritable)
        case .members(let members): members.problem.map { .unwritable($0.reason, member: $0.name) }
        default: nil
        }
    }

    private var isUnwritable: Bool { if case .unwritable = self { true } else { false } }
}

extension Parameters {
    /// The first parameter that cannot be written, with the names that lead to it.
    var problem: (name: String, reason: String)? { items.lazy.compactMap(\.problem).first }

    func checkWritable() throws(HTTPError) {
        for item in items { try item.checkWritable() }
    }
}

extension Parameters.Item {
    fileprivate var problem: (name: String, reason: String)? {
        guard case .unwritable(let reason, let member) = value.storage else { return nil }
        return (member.isEmpty ? name : "\(name).\(member)", reason)
    }

    func checkWritable() throws(HTTPError) {
        if let problem { throw HTTPError(.encoding(problem.name), reason: problem.reason) }
    }
}

/// A type whose values can be parameters.
///
/// Strings, numbers, Booleans, dates (as milliseconds since 1970), URLs, UUIDs and decimals conform. So do optionals,
/// arrays and dictionaries of these; `nil` leaves the parameter out. An enumeration with a raw value only has to
/// declare the conformance. Other types implement ``parameterValue``:
///
/// ```swift
/// struct Point: ParameterConvertible {
///     var x, y: Double
///     var parameterValue: ParameterValue { .text("\(x),\(y)") }
/// }
/// ```
public protocol ParameterConvertible: Sendable {
    /// The value to send.
    var parameterValue: ParameterValue { get }
}

/// A type whose values can also be path segments: a ``ParameterConvertible`` type that represents a single value, not
/// an optional, a list or an object.
///
/// Strings, numbers, Booleans, dates, URLs, UUIDs and decimals conform. An enumeration with a raw value only has to
/// declare the conformance: `enum Chart: String, PathConvertible { case week, month }`.
public protocol PathConvertible: ParameterConvertible {}

extension ParameterValue: ParameterConvertible {
    /// The value itself.
    public var parameterValue: ParameterValue { self }
}

extension ParameterConvertible where Self == ParameterValue {
    /// An explicit null: `null` in JSON, an empty value in a query or form. `nil` leaves the parameter out instead.
    public static var null: ParameterValue { ParameterValue(.null) }

    /// Returns a file to upload. A route with a file among its parameters is sent as a multipart form.
    public static func file(_ url: URL) -> ParameterValue { ParameterValue(.file(url)) }
}

extension ParameterValue {
    /// A single value as text, for a query, form, multipart form or path. `nil` for other values.
    package var text: String? {
        switch storage {
        case .null: ""
        case .text(let text), .number(let text): text
        case .url(let url): url.absoluteString
        case .flag(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .omitted, .file, .list, .members, .unwritable: nil
        }
    }

    /// Whether the value contains a file, at any depth.
    package var holdsFile: Bool {
        switch storage {
        case .file: true
        case .list(let values): values.contains(where: \.holdsFile)
        case .members(let members): members.holdFile
        default: false
        }
    }
}

extension Parameters {
    /// Whether a parameter contains a file, at any depth. It uses indices, because a loop over the items copies each.
    var holdFile: Bool { items.indices.contains { items[$0].value.holdsFile } }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// The parameter value of the raw value.
    public var parameterValue: ParameterValue { rawValue.parameterValue }
}

extension Parameters {
    /// Returns the parameters as one JSON object in UTF-8. Throws ``HTTPError`` of kind `encoding` for a value that
    /// cannot be written.
    func encodedJSON() throws(HTTPError) -> Data {
        try checkWritable()
        var bytes = ByteBuffer(capacity: 512)
        writeJSON(to: &bytes)
        return bytes.data
    }

    fileprivate func writeJSON(to bytes: inout ByteBuffer) {
        bytes.append("{")
        for item in items {
            bytes.separate()
            bytes.appendQuoted(item.name)
            bytes.append(":")
            item.value.writeJSON(to: &bytes)
        }
        bytes.append("}")
    }
}

extension ParameterValue {
    fileprivate func writeJSON(to bytes: inout ByteBuffer) {
        switch storage {
        // Unwritable values were refused, and files when the encoding was chosen.
        case .omitted, .null, .unwritable, .file: bytes.append("null")
        case .text(let text): bytes.appendQuoted(text)
        case .url(let url): bytes.appendQuoted(url.absoluteString)
        case .flag(let flag): bytes.append(flag ? "true" : "false")
        case .integer(let number): bytes.append(decimal: number)
        case .number(let number): bytes.append(text: number)
        case .members(let members): members.writeJSON(to: &bytes)
        case .list(let values):
            bytes.append("[")
            for value in values where value.storage != .omitted {
                bytes.separate()
                value.writeJSON(to: &bytes)
            }
            bytes.append("]")
        }
    }
}
