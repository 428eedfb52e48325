/// Names of Swift, made from names of a document.
enum Names {
    private static let acronyms: Set<String> = [
        "api", "csv", "dns", "html", "http", "https", "id", "ip", "json", "sha", "ssh", "ssl", "tls", "uri", "url",
        "uuid", "xml",
    ]

    /// Words that a name cannot be without backticks, and those that mean something to every type.
    private static let reserved: Set<String> = [
        "Any", "Protocol", "Self", "Type", "as", "associatedtype", "async", "await", "break", "case", "catch", "class",
        "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
        "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
        "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript",
        "super",
        "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Types that generated code and a program use beside it, whose names a model would hide.
    static let ofOtherTypes: Set<String> = [
        "APIModel", "APIValue", "Actor", "AdditionalHeaders", "AdditionalParams", "Any", "Array", "Authentication",
        "Bool", "Boxed", "Calendar", "CalendarDate", "Character", "Codable", "Collection", "Comparable", "Decodable",
        "Encodable",
        "Equatable",
        "Hasher", "Identifiable", "KeyValuePairs", "Sequence", "Substring", "Data", "Date", "Decimal", "Decoder",
        "Dictionary",
        "Double",
        "Duration", "Encoder", "Endpoint", "Error", "Failures", "Float", "Foundation", "HTTPClient", "HTTPError",
        "HTTPMethod", "HTTPProvider", "HTTPRequest", "HTTPResponse", "HalyardOpenAPI", "Hashable", "ISO8601Date", "Int",
        "Int64", "JSON", "Locale", "LocalizedError", "ModelReader", "ModelWriter", "MultipartPart", "Never",
        "Notification", "ObjectMapper", "OpenEnum", "Optional", "ParameterConvertible", "ParameterEncoding",
        "Parameters",
        "PartConvertible", "Protocol", "Range", "Result", "Route", "RouteBody", "Self", "Sendable", "Set", "String",
        "Swift", "Task", "TimeZone", "Type", "UInt", "URL", "UUID", "Void",
    ]

    /// A name of a model: that of its schema, or with `Model` where it would hide another type.
    static func model(_ text: String) -> String {
        let name = type(text)
        return ofOtherTypes.contains(name) ? name + "Model" : name
    }

    /// A name of a type: `full-repository` is `FullRepository`.
    static func type(_ text: String) -> String {
        let name = words(text).map(capitalized).joined()
        return name.isEmpty ? "Value" : name.first?.isNumber == true ? "N" + name : name
    }

    /// A name of a property, a function or an argument: `node_id` is `nodeID`.
    static func member(_ text: String) -> String {
        let words = words(text)
        let name = (words.first.map { [$0.lowercased()] } ?? []) + words.dropFirst().map(capitalized)
        let joined = name.joined()
        return joined.isEmpty ? "value" : joined.first?.isNumber == true ? "_" + joined : joined
    }

    /// The name in code: with backticks if it is a word of the language.
    static func escaped(_ name: String) -> String { reserved.contains(name) ? "`\(name)`" : name }

    /// Whether a text is a name in code, perhaps in backticks.
    static func isIdentifier(_ text: String) -> Bool {
        text.first?.isNumber == false && text.contains(where: \.isLetter)
            && text.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
    }

    /// Returns the name, or the name with the first number that makes it unused.
    static func unique(_ name: String, _ used: inout Set<String>) -> String {
        let unique = unused(name) { used.contains($0) }
        used.insert(unique)
        return unique
    }

    /// Returns the name, or the name with a number that is not taken, which is found by halves if many are.
    static func unused(_ name: String, _ isTaken: (String) -> Bool) -> String {
        if !isTaken(name) { return name }
        var (taken, free) = (1, 2)
        while isTaken("\(name)\(free)") { (taken, free) = (free, free * 2) }
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if isTaken("\(name)\(middle)") { taken = middle } else { free = middle }
        }
        return "\(name)\(free)"
    }

    private static func capitalized(_ word: String) -> String {
        if acronyms.contains(word.lowercased()) { return word.uppercased() }
        if word.last == "s", acronyms.contains(word.dropLast().lowercased()) {
            return word.dropLast().uppercased() + "s"
        }
        return word.prefix(1).uppercased() + word.dropFirst()
    }

    /// The words of a name: `+1`, `node_id`, `nodeId`, `HTTPServer` and `two words` have one, two, two, two and two.
    static func words(_ text: String) -> [String] {
        let signs: [Character: String] = ["+": "plus", "-": "minus"]
        var text = Substring(text)
        var words: [String] = []
        if let sign = text.first, let word = signs[sign], text.dropFirst().first?.isNumber == true {
            words.append(word)
            text = text.dropFirst()
        }
        var word = ""
        let letters = Array(text)
        for (index, letter) in letters.enumerated() {
            guard letter.isASCII, letter.isLetter || letter.isNumber else {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            let next = index + 1 < letters.count ? letters[index + 1] : " "
            if let last = word.last, letter.isUppercase, !last.isUppercase || next.isLowercase,
                next != "s" || !last.isUppercase
            {
                words.append(word)
                word = ""
            }
            word.append(letter)
        }
        return word.isEmpty ? words : words + [word]
    }
}
