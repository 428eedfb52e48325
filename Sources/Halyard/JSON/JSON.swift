/// A JSON value (RFC 8259): what a server sent, or what is to be sent, without a type of its own.
///
/// Reading never fails half way: whatever is missing or of another kind is ``null``, and the last step gives an
/// optional.
/// ```swift
/// let json = try JSON(parsing: data)
/// let name = json["name"].string ?? ""
/// let code = json["error"]["code"].int
/// let tags = json["items"][2]["tags"].array
/// ```
/// Values are also written as literals: `let body: JSON = ["name": "Ada", "tags": ["a", "b"], "manager": nil]`.
///
/// Numbers keep their text (``Number``), objects keep the order of their members (``Object``). Strings and names are
/// equal as Swift's strings are: canonically equivalent spellings of `é` are one string.
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
    /// An object, in the order in which its members stood.
    case object(Object)
}
