/// The place and format of parameters.
public struct ParameterEncoding: Sendable, Hashable {
    package enum Place: Sendable, Hashable { case query, form, json, multipart }

    /// How a list is written in a query, a form or a multipart form. More styles may be added.
    public struct ArrayStyle: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case repeated, brackets, indexed, commas }

        package let kind: Kind

        /// `tags=a&tags=b`
        public static let repeated = ArrayStyle(kind: .repeated)
        /// `tags[]=a&tags[]=b`
        public static let brackets = ArrayStyle(kind: .brackets)
        /// `tags[0]=a&tags[1]=b`
        public static let indexed = ArrayStyle(kind: .indexed)
        /// `tags=a,b`: the elements are percent-encoded, the commas are not.
        public static let commas = ArrayStyle(kind: .commas)
    }

    package let place: Place
    package let arrays: ArrayStyle

    private init(_ place: Place, _ arrays: ArrayStyle = .repeated) {
        self.place = place
        self.arrays = arrays
    }

    /// In the query of the URL: `?q=a%20b&tag=x&tag=y`.
    ///
    /// All characters but the unreserved ones of RFC 3986 are percent-encoded: a space as `%20`, `+` as `%2B`. A list
    /// repeats its name. A member of an object is `name[member]`.
    public static let url = ParameterEncoding(.query)
    /// Returns the encoding ``url`` with another array style.
    public static func url(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.query, arrays) }

    /// In the body, written like a query, with the type `application/x-www-form-urlencoded`.
    public static let form = ParameterEncoding(.form)
    /// Returns the encoding ``form`` with another array style.
    public static func form(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.form, arrays) }

    /// In the body, as a JSON object, with the type `application/json`.
    public static let json = ParameterEncoding(.json)

    /// In the body, as `multipart/form-data`: one part for each value, and a file for each URL of a file.
    public static let multipart = ParameterEncoding(.multipart)
    /// Returns the encoding ``multipart`` with another array style.
    public static func multipart(arrays: ArrayStyle) -> ParameterEncoding { ParameterEncoding(.multipart, arrays) }
}
