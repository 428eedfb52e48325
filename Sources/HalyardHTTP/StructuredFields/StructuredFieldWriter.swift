import HalyardFoundation

/// Writes a structured field as RFC 9651 section 4.1 describes it.
struct StructuredFieldWriter {
    private(set) var text = ""

    mutating func append(_ members: [StructuredMember]) throws(HTTPError) {
        for (index, member) in members.enumerated() {
            if index > 0 { text += ", " }
            try append(member)
        }
    }

    mutating func append(_ dictionary: StructuredDictionary) throws(HTTPError) {
        for (index, member) in dictionary.all.enumerated() {
            if index > 0 { text += ", " }
            try append(key: member.name)
            if case .item(let item) = member.value, item.value == .boolean(true) {
                try append(item.parameters)
            } else {
                text += "="
                try append(member.value)
            }
        }
    }

    mutating func append(_ member: StructuredMember) throws(HTTPError) {
        switch member {
        case .item(let item): try append(item)
        case .innerList(let items, let parameters):
            text += "("
            for (index, item) in items.enumerated() {
                if index > 0 { text += " " }
                try append(item)
            }
            text += ")"
            try append(parameters)
        }
    }

    mutating func append(_ item: StructuredItem) throws(HTTPError) {
        try append(item.value)
        try append(item.parameters)
    }

    private mutating func append(_ parameters: StructuredParameters) throws(HTTPError) {
        for parameter in parameters.all {
            text += ";"
            try append(key: parameter.name)
            if parameter.value == .boolean(true) { continue }
            text += "="
            try append(parameter.value)
        }
    }

    private mutating func append(key: String) throws(HTTPError) {
        guard key.consists(of: .structuredKey), let first = key.utf8.first, ASCIISet.structuredKeyStart.contains(first)
        else {
            throw failure("the name \"\(key)\" is not lower-case letters, digits, \"_\", \"-\", \".\" and \"*\"")
        }
        text += key
    }

    private mutating func append(_ value: StructuredValue) throws(HTTPError) {
        switch value {
        case .integer(let number): text += "\(try checked(number))"
        case .decimal(let number): try append(number)
        case .boolean(let value): text += value ? "?1" : "?0"
        case .date(let seconds): text += "@\(try checked(seconds))"
        case .bytes(let bytes): text += ":\(bytes.base64EncodedString()):"
        case .token(let token):
            guard token.consists(of: .structuredToken), let first = token.utf8.first,
                ASCIISet.structuredTokenStart.contains(first)
            else { throw failure("\"\(token)\" is not a token. Write it as a string") }
            text += token
        case .string(let string):
            guard string.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
                throw failure("the string has characters that are not printable ASCII. Write it as a display string")
            }
            text += "\"\(string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
        case .displayString(let string):
            text += "%\""
            for byte in string.utf8 {
                let isPlain = 0x20...0x7E ~= byte && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "\"")
                text += isPlain ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal
            }
            text += "\""
        }
    }

    private func checked(_ number: Int64) throws(HTTPError) -> Int64 {
        guard number.magnitude < 1_000_000_000_000_000 else { throw failure("a number has more than 15 digits") }
        return number
    }

    private mutating func append(_ number: Double) throws(HTTPError) {
        let thousandths = (number * 1000).rounded(.toNearestOrEven)
        guard thousandths.magnitude < 1e15 else { throw failure("a number has more than 12 digits before its point") }
        let (whole, fraction) = Int64(thousandths.magnitude).quotientAndRemainder(dividingBy: 1000)
        var digits = fraction.padded(3)
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        text += "\(thousandths < 0 ? "-" : "")\(whole).\(digits)"
    }

    private func failure(_ reason: String) -> HTTPError { HTTPError(.encoding("structured field"), reason: reason) }
}
