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
}
