/// Names of properties as snake case spells them. Pure.
enum SnakeCase {
    /// `user_name` for `userName`, `image_url` for `imageURL`, `my_url_path` for `myURLPath`: what
    /// `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase` writes.
    static func name(of property: String) -> String {
        let letters = Array(property)
        var words: [ArraySlice<Character>] = []
        var (start, searched) = (0, 1)
        while searched < letters.count, let capital = letters[searched...].firstIndex(where: \.isUppercase) {
            words.append(letters[start..<capital])
            start = capital
            guard let lower = letters[capital...].firstIndex(where: \.isLowercase) else { break }
            // Of several capitals the last begins the next word.
            if lower > capital + 1 {
                words.append(letters[capital..<(lower - 1)])
                start = lower - 1
            }
            searched = lower + 1
        }
        words.append(letters[start...])
        return words.map { String($0).lowercased() }.joined(separator: "_")
    }

    /// `userName` for `user_name`, `addressLine1` for `address_line_1`: what
    /// `JSONDecoder.KeyDecodingStrategy.convertFromSnakeCase` makes of a name.
    static func property(of name: String) -> String {
        let words = name.split(separator: "_")
        guard words.count > 1 else { return name }
        let (leading, trailing) = (name.prefix { $0 == "_" }, name.reversed().prefix { $0 == "_" })
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return leading + words[0].lowercased() + rest.joined() + String(trailing)
    }
}
