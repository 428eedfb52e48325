public import HalyardFoundation

/// A single value of a structured field (RFC 9651 section 3.3).
public enum StructuredValue: Hashable, Sendable {
    /// A whole number of at most 15 digits.
    case integer(Int64)
    /// A number with at most 12 digits before its point. It is written with at most 3 digits after it, rounded half to
    /// even.
    case decimal(Double)
    /// Printable ASCII in quotes.
    case string(String)
    /// A word without quotes, such as `hit` or `text/html`.
    case token(String)
    /// Bytes, which are written in base64 between colons.
    case bytes(Data)
    /// `?1` or `?0`.
    case boolean(Bool)
    /// A time in seconds since 1970.
    case date(Int64)
    /// Text of any characters for people.
    case displayString(String)

    /// The number of an integer; `nil` for another value.
    public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    /// The text of a string, a token or a display string; `nil` for another value.
    public var text: String? {
        switch self {
        case .string(let text), .token(let text), .displayString(let text): text
        default: nil
        }
    }
    /// The bytes; `nil` for another value.
    public var bytes: Data? { if case .bytes(let bytes) = self { bytes } else { nil } }
    /// The boolean; `nil` for another value.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
}

extension StructuredValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A string.
    public init(stringLiteral text: String) { self = .string(text) }
    /// An integer.
    public init(integerLiteral number: Int64) { self = .integer(number) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

/// A value of a structured field with its parameters: `"day";r=12;t=300`.
public struct StructuredItem: Hashable, Sendable {
    /// The value.
    public var value: StructuredValue
    /// The parameters, in their order.
    public var parameters: StructuredParameters

    /// Makes an item.
    public init(_ value: StructuredValue, _ parameters: StructuredParameters = [:]) {
        (self.value, self.parameters) = (value, parameters)
    }
}

extension StructuredItem: ExpressibleByStringLiteral {
    /// A string without parameters.
    public init(stringLiteral text: String) { self.init(.string(text)) }
}

/// A member of a list or a dictionary in a structured field.
public enum StructuredMember: Hashable, Sendable {
    /// One value.
    case item(StructuredItem)
    /// A list within the field, with its parameters: `("a" "b");q=1`.
    case innerList([StructuredItem], StructuredParameters)

    /// The value of an item; `nil` for an inner list.
    public var value: StructuredValue? { if case .item(let item) = self { item.value } else { nil } }
    /// The parameters of the item or the inner list.
    public var parameters: StructuredParameters {
        switch self {
        case .item(let item): item.parameters
        case .innerList(_, let parameters): parameters
        }
    }
}

/// The parameters of a value in a structured field.
public typealias StructuredParameters = StructuredMembers<StructuredValue>
/// A structured field whose members have names, such as `Priority: u=1, i`.
public typealias StructuredDictionary = StructuredMembers<StructuredMember>

/// Members of a structured field by their names, in their order.
public struct StructuredMembers<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The names and values. A name occurs once.
    public private(set) var all: [Member] = []

    /// A name and its value.
    public struct Member: Hashable, Sendable {
        /// The name: lower-case letters, digits, `_`, `-`, `.` and `*`.
        public let name: String
        /// The value.
        public fileprivate(set) var value: Value
    }

    /// Makes empty members.
    public init() {}

    /// The value for a name; `nil` if there is none. Setting a new name appends it; setting `nil` removes a member.
    public subscript(_ name: String) -> Value? {
        get { all.first { $0.name == name }?.value }
        set {
            guard let newValue else { return all.removeAll { $0.name == name } }
            if let index = all.firstIndex(where: { $0.name == name }) {
                all[index].value = newValue
            } else {
                all.append(Member(name: name, value: newValue))
            }
        }
    }
}

extension StructuredMembers: ExpressibleByDictionaryLiteral {
    /// Makes members from a literal. A name that occurs twice has the last value.
    public init(dictionaryLiteral members: (String, Value)...) {
        for (name, value) in members { self[name] = value }
    }
}
