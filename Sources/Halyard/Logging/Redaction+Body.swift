import HalyardHTTP
import HalyardFoundation

// Bodies in which names can be read. Of others nobody can tell what is a secret.
extension Redaction {
    /// A body as text, the secrets in it masked; as it is where there are none. `nil` when it is nothing that has names,
    /// or is not what its type says.
    func body(_ data: Data, of type: String?) -> String? {
        guard let text = String(utf8: data) else { return nil }
        guard let type, !type.hasSuffix("json") else { return json(text) }
        if type == "application/x-www-form-urlencoded" { return form(text) }
        return type.hasPrefix("text/") ? self.text(text) : nil
    }

    private func json(_ text: String) -> String? {
        guard let json = try? JSON(parsing: text) else { return nil }
        let (whole, shown) = (json.description, redacted(json).description)
        return shown == whole ? text : shown
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

    /// Whether a member is a secret by its name, or by what another of its object says: `{"name": "pin", "value": 1}`.
    private func isSecret(_ key: String, of members: JSON.Object) -> Bool {
        if names.contains(key) { return true }
        guard Self.holding.contains(key.lowercased()) else { return false }
        return members.contains { name, value in
            Self.naming.contains(name.lowercased()) && (value.string.map(names.containsField) ?? false)
        }
    }

    /// A multipart body, as far as it is in memory: each part by its name and its type.
    ///
    /// - Parameter boundary: what stands between the parts, behind two hyphens.
    func multipart(_ bytes: [UInt8], boundary: String) -> [UInt8] {
        let pieces = bytes.split(separator: Array("--\(boundary)".utf8), omittingEmptySubsequences: false)
        let shown = pieces.indices.map { part(pieces[$0], isLast: $0 == pieces.count - 1) }
        return Array(shown.joined(separator: Array("--\(boundary)".utf8)))
    }

    private func part(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return Array(bytes) }
        let head = String(decoding: bytes[..<blank.lowerBound], as: UTF8.self)
        // What follows the last one in memory is in a file.
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
    /// A mark where a secret stands; what tells nothing stays.
    fileprivate var masked: JSON {
        switch self {
        case .null, .bool: self
        default: .string(Redaction.mark)
        }
    }
}

extension String {
    /// Whether it is the type of a picture, a sound, a film or a font: nothing that has names.
    var isMedia: Bool { ["image/", "audio/", "video/", "font/"].contains(where: lowercased().hasPrefix) }
}
