/// Where parameters go and how they are written.
public struct ParameterEncoding: Sendable, Hashable {
    package enum Place: Sendable, Hashable { case query, form, json, multipart }

    /// How a list is written where names can only repeat: in a query, a form, a multipart form.
    public enum ArrayStyle: Sendable, Hashable {
        /// `tags=a&tags=b`
        case repeated
        /// `tags[]=a&tags[]=b`
        case brackets
        /// `tags[0]=a&tags[1]=b`
        case indexed
        /// `tags=a,b`: the elements one by one percent-encoded, the comma between them not.
        case commas
    }

    package let place: Place
    package let arrays: ArrayStyle

    private init(_ place: Place, _ arrays: ArrayStyle = .repeated) {
        self.place = place
        self.arrays = arrays
    }

    /// The query of the URL: `?q=a%20b&tag=x&tag=y`.
    ///
    /// Everything but RFC 3986's unreserved characters is percent-encoded, a space as `%20`, `+` as `%2B`. A list
    /// repeats the name, members of an object are `name[member]`.
    public static let url = ParameterEncoding(.query)
    /// The query of the URL, its lists in a style of one's own.
    public static func url(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.query, arrays) }

    /// The body, written as a query is, with the type `application/x-www-form-urlencoded`.
    public static let form = ParameterEncoding(.form)
    /// The body as a form, its lists in a style of one's own.
    public static func form(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.form, arrays) }

    /// The body, as a JSON object, with the type `application/json`.
    public static let json = ParameterEncoding(.json)

    /// The body, as a `multipart/form-data` form: one part for each value, a file for each URL of one.
    public static let multipart = ParameterEncoding(.multipart)
    /// The body as a multipart form, its lists in a style of one's own.
    public static func multipart(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.multipart, arrays) }
}
