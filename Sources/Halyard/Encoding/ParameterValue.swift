public import HalyardFoundation
import HalyardHTTP

/// A parameter's value on its way to the wire: the one table from which all encodings are written.
///
/// You meet it when you make a type of your own a parameter: see ``ParameterConvertible``.
public struct ParameterValue: Sendable, Hashable {
    package enum Storage: Sendable, Hashable {
        /// `nil`: the parameter is left out.
        case absent
        /// An explicit null.
        case nothing
        case text(String)
        /// In a multipart form one to a file is that file; everywhere else it is text.
        case url(URL)
        /// A file to upload: the form becomes multipart.
        case file(URL)
        case flag(Bool)
        case integer(Int)
        /// A number that is no `Int`, as it is written in decimal.
        case number(String)
        case list([ParameterValue])
        case members(Parameters)
        /// What no encoding can write, such as NaN, and which member of this value it is.
        case unwritable(_ reason: String, member: String = "")
    }

    package let storage: Storage
    /// How many lists and objects are nested here, this one included.
    fileprivate let depth: Int

    /// Each level is a frame of the stack for whoever writes, compares or releases the value.
    private static let maximumDepth = 511

    /// Makes a value. A list or object is unwritable as a whole when a part of it is, or when it is nested too deep:
    /// so no value is ever deep enough to exhaust a stack, and those who write it need not ask.
    package init(_ storage: Storage) {
        let depth = storage.depth
        let isTooDeep = depth > Self.maximumDepth
        let flaw = isTooDeep ? .unwritable("it is nested more than \(Self.maximumDepth) levels deep") : storage.flaw
        self.storage = flaw ?? storage
        self.depth = flaw == nil ? depth : 0
    }

    /// Text.
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
    fileprivate var flaw: Self? {
        switch self {
        case .list(let values): values.lazy.map(\.storage).first(where: \.isUnwritable)
        case .members(let members): members.flaw.map { .unwritable($0.reason, member: $0.name) }
        default: nil
        }
    }

    private var isUnwritable: Bool { if case .unwritable = self { true } else { false } }
}

extension Parameters {
    /// The first parameter that cannot be written, by its name and those of the members that lead to it.
    var flaw: (name: String, reason: String)? { items.lazy.compactMap(\.flaw).first }

    func checkWritable() throws(HTTPError) {
        for item in items { try item.checkWritable() }
    }
}

extension Parameters.Item {
    fileprivate var flaw: (name: String, reason: String)? {
        guard case .unwritable(let reason, let member) = value.storage else { return nil }
        return (member.isEmpty ? name : "\(name).\(member)", reason)
    }

    func checkWritable() throws(HTTPError) {
        if let flaw { throw HTTPError(.encoding(flaw.name), reason: flaw.reason) }
    }
}

/// A type whose values can be parameters.
///
/// Strings, numbers, booleans, dates (as milliseconds since 1970), URLs, UUIDs, decimals, optionals (`nil` is left
/// out), arrays and dictionaries of these are. An enumeration with a raw value needs the name alone, other types
/// say which value they stand for:
///
/// ```swift
/// enum Sort: String, ParameterConvertible { case newest, oldest }
///
/// struct Point: ParameterConvertible {
///     var x, y: Double
///     var parameterValue: ParameterValue { .text("\(x),\(y)") }
/// }
/// ```
public protocol ParameterConvertible: Sendable {
    /// What is sent for it.
    var parameterValue: ParameterValue { get }
}

/// A type whose values can stand in a path as well, one segment each: a ``ParameterConvertible`` that is a single
/// value, not an optional, a list or an object.
///
/// Strings, numbers, booleans, dates, URLs, UUIDs and decimals are. An enumeration with a raw value needs the name alone:
///
/// ```swift
/// enum Chart: String, PathConvertible { case week, month }
/// Route(path: "/charts/\(Chart.week)")
/// ```
public protocol PathConvertible: ParameterConvertible {}

extension ParameterValue: ParameterConvertible {
    /// Itself.
    public var parameterValue: ParameterValue { self }
}

extension ParameterConvertible where Self == ParameterValue {
    /// An explicit null: `null` in JSON, an empty value in a query or form. `nil` leaves the parameter out instead.
    public static var null: ParameterValue { ParameterValue(.nothing) }

    /// A file to upload. A route whose params hold one is sent as multipart, whatever its method's default.
    public static func file(_ url: URL) -> ParameterValue { ParameterValue(.file(url)) }
}

extension ParameterValue {
    /// A single value as text: one table for query, form, multipart and path. `nil` for all others.
    package var text: String? {
        switch storage {
        case .nothing: ""
        case .text(let text), .number(let text): text
        case .url(let url): url.absoluteString
        case .flag(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .absent, .file, .list, .members, .unwritable: nil
        }
    }

    /// Whether a file is in it, at whatever depth.
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
    /// Whether a file is in them, at whatever depth. By index: a loop over them copies each.
    var holdFile: Bool { items.indices.contains { items[$0].value.holdsFile } }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// The raw value's.
    public var parameterValue: ParameterValue { rawValue.parameterValue }
}
