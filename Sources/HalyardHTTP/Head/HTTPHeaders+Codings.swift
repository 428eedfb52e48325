extension HTTPHeaders {
    /// The codings of the body (RFC 9110 section 8.4), in the order in which they were applied, in lower case.
    ///
    /// `identity` and `none` are left out: the first is no coding, the second is what some servers write for it.
    package var contentCodings: [String] {
        guard contains("Content-Encoding") else { return [] }
        return values(for: "Content-Encoding").flatMap(Self.codings)
    }

    /// The codings that a field value lists, in lower case, without those that change nothing.
    package static func codings(_ list: String) -> [String] {
        list.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" && $0 != "none" }
    }
}
