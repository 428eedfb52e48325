extension HTTPHeaders {
    /// Whether a text can be the value of a field: it has no control characters.
    package static func isValidValue(_ text: String) -> Bool { problem(ofValue: text) == nil }

    /// Returns what is wrong with the value of a field, in words; `nil` for a valid one.
    static func problem(ofValue value: String) -> String? {
        // The loop without branches uses vector instructions. It is enough for nearly all values.
        let isPlain = value.utf8.withContiguousStorageIfAvailable { bytes in
            var unusual: UInt8 = 0
            for byte in bytes { unusual |= (byte < 0x20 ? 1 : 0) | (byte == 0x7F ? 1 : 0) }
            return unusual == 0
        }
        if isPlain == true { return nil }
        for byte in value.utf8 where (byte < 0x20 && byte != 0x09) || byte == 0x7F {
            let name = [0x0D: "a carriage return", 0x0A: "a line feed", 0x00: "NUL"][byte] ?? "a control character"
            return "its value contains \(name)"
        }
        return nil
    }

    /// The media type of Content-Type in lower case, without parameters; `nil` when there is none.
    package var mediaType: String? {
        guard let type = self[.contentType]?.mediaType, !type.isEmpty else { return nil }
        return type
    }

    /// The codings of the body (RFC 9110 section 8.4) in lower case, in the order in which they were applied.
    ///
    /// `identity` is omitted, because it is not a coding, and so is `none`, which some servers send instead.
    package var contentCodings: [String] {
        guard contains("Content-Encoding") else { return [] }
        return values(for: "Content-Encoding").flatMap(Self.codings)
    }

    /// The codings that a field value lists, in lower case, without `identity` and `none`.
    package static func codings(_ list: String) -> [String] {
        list.split(separator: ",").map(\.lowercasedWithoutBlanks)
            .filter { !$0.isEmpty && $0 != "identity" && $0 != "none" }
    }

    /// The target of a redirect (RFC 9110 section 15.4); `nil` when a response of this status is not one.
    package func redirection(of status: Int) -> String? {
        switch status {
        case 301, 302, 303, 307, 308: values(for: "Location").first
        default: nil
        }
    }
}

extension StringProtocol {
    /// The media type of a field value in lower case, without parameters and blanks.
    package var mediaType: String { String(prefix { $0 != ";" }).lowercasedWithoutBlanks }

    fileprivate var lowercasedWithoutBlanks: String { String(self).filter { $0 != " " && $0 != "\t" }.lowercased() }
}
