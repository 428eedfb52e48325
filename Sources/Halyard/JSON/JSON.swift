/// A JSON value (RFC 8259).
///
/// A lookup never fails: a missing value, or one of another kind, is ``null``. The last property returns an optional.
/// ```swift
/// let json = try JSON(parsing: data)
/// let name = json["name"].string ?? ""
/// let code = json["error"]["code"].int
/// let tags = json["items"][2]["tags"].array
/// ```
/// Values can be written as literals: `let body: JSON = ["name": "Ada", "tags": ["a", "b"], "manager": nil]`.
///
/// Numbers keep their text (``Number``), and objects keep the order of their members (``Object``). Strings and names
/// are compared like Swift's strings: canonically equivalent forms of `é` are equal.
public enum JSON: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, as it was written.
    case number(Number)
    /// A string.
    case string(String)
    /// An array.
    case array([JSON])
    /// An object, with its members in their order.
    case object(Object)
}
