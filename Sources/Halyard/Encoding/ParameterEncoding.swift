/// Where parameters go and how they are written.
public struct ParameterEncoding: Sendable, Hashable {
    package enum Place: Sendable, Hashable { case query, form, json }

    package let place: Place

    /// The query of the URL: `?q=a%20b&tag=x&tag=y`.
    ///
    /// Everything but RFC 3986's unreserved characters is percent-encoded, a space as `%20`, `+` as `%2B`. A list
    /// repeats the name, members of an object are `name[member]`.
    public static let url = ParameterEncoding(place: .query)

    /// The body, written as a query is, with the type `application/x-www-form-urlencoded`.
    public static let form = ParameterEncoding(place: .form)

    /// The body, as a JSON object, with the type `application/json`.
    public static let json = ParameterEncoding(place: .json)
}
