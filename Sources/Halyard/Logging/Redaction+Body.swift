import HalyardHTTP
package import HalyardFoundation

// Bodies in formats with named values: JSON, forms, multipart. Secrets are found by name, so not in other formats.
extension Redaction {
    /// Returns a body as text with masked secrets. `nil` if its format has no names, or if it does not have the format
    /// that its type says.
    package func body(_ data: Data, of type: String?) -> String? {
        guard let text = String(utf8: data) else { return nil }
        guard let type, !type.hasSuffix("json") else { return json(text) }
        if type == "application/x-www-form-urlencoded" { return form(text) }
        return type.hasPrefix("text/") ? self.text(text) : nil
    }

    private func json(_ text: String) -> String? {
        guard let json = try? JSON(parsing: text) else { return nil }
        let (original, masked) = (json.description, redacted(json).description)
        return masked == original ? text : masked
    }

    private func redacted(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            .object(
                JSON.Object(
                    members.map { ($0.key, isSecret($0.key, of: members) ? $0.value.masked : redacted($0.value)) }))
        case .array(let elements): .array(elements.map(redacted))
        case .string(let string): .string(text(string))
        case .number: text(json.description) == json.description ? json : json.masked
        case .null, .bool: json
        }
    }

    /// Returns whether a member is a secret, by its name or by another member of the object: `{"name": "pin", "value":
    /// 1}`.
    private func isSecret(_ key: String, of members: JSON.Object) -> Bool {
        if names.contains(key) { return true }
        guard Self.valueKeys.contains(key.lowercased()) else { return false }
        return members.contains { name, value in
            Self.nameKeys.contains(name.lowercased()) && (value.string.map(names.containsField) ?? false)
        }
    }

    /// Returns the part of a multipart body that is in memory, with each part masked by its name and type.
    package func multipart(_ bytes: [UInt8], boundary: String) -> [UInt8] {
        let pieces = bytes.split(separator: Array("--\(boundary)".utf8), omittingEmptySubsequences: false)
        let redacted = pieces.indices.map { part(pieces[$0], isLast: $0 == pieces.count - 1) }
        return Array(redacted.joined(separator: Array("--\(boundary)".utf8)))
    }

    private func part(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return Array(bytes) }
        let head = String(decoding: bytes[..<blank.lowerBound], as: UTF8.self)
        // The content after the last boundary in memory is in a file.
        let content = bytes[blank.upperBound...].dropLast(isLast ? 0 : 2)
        return bytes[..<blank.upperBound] + self.content(content, of: head) + bytes[content.endIndex...]
    }

    private func content(_ content: ArraySlice<UInt8>, of head: String) -> [UInt8] {
        if content.isEmpty { return [] }
        let name = head.firstRange(of: "name=\"").map { head[$0.upperBound...].prefix { $0 != "\"" } } ?? ""
        if names.containsParameter(String(name)) { return Array(Self.mark.utf8) }
        let type = head.firstRange(of: "Content-Type: ").map { String(head[$0.upperBound...].prefix { !$0.isNewline }) }
        if type?.isMedia ?? false { return Array(content) }
        let mediaType = type?.mediaType ?? "text/plain"
        return Array((body(Data(content), of: mediaType) ?? "(\(content.count) bytes of \(mediaType), not shown)").utf8)
    }
}

extension JSON {
    /// The value with a mask in place of secrets. Values that reveal nothing are kept.
    fileprivate var masked: JSON {
        switch self {
        case .null, .bool: self
        default: .string(Redaction.mark)
        }
    }
}

extension String {
    /// Whether it is the type of a picture, sound, film or font, which have no names.
    var isMedia: Bool { ["image/", "audio/", "video/", "font/"].contains(where: lowercased().hasPrefix) }
}
