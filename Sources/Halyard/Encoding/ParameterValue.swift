#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

package import HalyardHTTP

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
        /// What no encoding can write, such as NaN.
        case unwritable(String)
    }

    package let storage: Storage
    package init(_ storage: Storage) { self.storage = storage }

    /// Text.
    public static func text(_ text: String) -> ParameterValue { ParameterValue(.text(text)) }
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
    /// A single value as text: one table for query, form, multipart and path. `nil` for lists, objects and files.
    package func text() throws(HTTPError) -> String? {
        switch storage {
        case .nothing: ""
        case .text(let text), .number(let text): text
        case .url(let url): url.absoluteString
        case .flag(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .absent, .file, .list, .members: nil
        case .unwritable(let reason): throw HTTPError(.encoding("a value"), reason: reason)
        }
    }

    /// Whether a file is in it, at whatever depth.
    package var holdsFile: Bool {
        switch storage {
        case .file: true
        case .list(let values): values.contains(where: \.holdsFile)
        case .members(let members): members.items.contains(where: \.value.holdsFile)
        default: false
        }
    }
}

extension ParameterConvertible where Self: RawRepresentable, RawValue: ParameterConvertible {
    /// The raw value's.
    public var parameterValue: ParameterValue { rawValue.parameterValue }
}
