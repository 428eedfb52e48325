extension HTTPHeaders {
    /// The media type of Content-Type in lower case, without parameters; `nil` when there is none.
    package var mediaType: String? {
        guard let type = self[.contentType]?.mediaType, !type.isEmpty else { return nil }
        return type
    }
}

extension StringProtocol {
    /// The media type of a field value in lower case, without parameters and blanks.
    package var mediaType: String { String(prefix { $0 != ";" }).filter { $0 != " " && $0 != "\t" }.lowercased() }
}
