import HalyardHTTP

/// Parses the challenges of a `WWW-Authenticate` field (RFC 9110 section 11.6.1). It accepts any bytes and has no side
/// effects.
enum AuthenticationField {
    struct Challenge: Equatable {
        var scheme: String
        /// The parameters, with names in lower case. The first one of a name counts.
        var parameters: [String: String] = [:]
    }

    static func challenges(in field: String) -> [Challenge] {
        var (challenges, rest) = ([Challenge](), field.utf8[...])
        while true {
            rest = rest.drop { $0 == UInt8(ascii: ",") || $0.isBlank }
            let word = rest.prefix { ASCIISet.token.contains($0) }
            guard !word.isEmpty, let text = String(word) else { return challenges }
            rest = rest[word.endIndex...]
            let afterBlanks = rest.drop(while: \.isBlank)
            if afterBlanks.first == UInt8(ascii: "="), !challenges.isEmpty {
                rest = afterBlanks.dropFirst()
                let value = rest.popParameterValue(before: .endOfValue)
                let last = challenges.count - 1
                if challenges[last].parameters[text.lowercased()] == nil {
                    challenges[last].parameters[text.lowercased()] = value
                }
            } else {
                challenges.append(Challenge(scheme: text))
            }
        }
    }
}

extension ASCIISet {
    fileprivate static let endOfValue = ASCIISet(", ")
}
