import HalyardHTTP
package import HalyardFoundation

// Bodies in formats with named values: JSON, forms, multipart, text. Secrets are found by name, so not in other formats.
extension Redaction {
    /// Returns a body as text with masked secrets. `nil` if its format has no names, or if it does not have the format
    /// that its type says.
    package func body(_ data: Data, of type: String?) -> String? {
        guard let text = String(utf8: data) else { return nil }
        if type == "application/x-www-form-urlencoded" { return form(text) }
        if type?.hasPrefix("text/") ?? false { return self.text(text) }
        guard type?.hasSuffix("json") ?? true, let json = try? JSON(parsing: text) else { return nil }
        let (original, masked) = (json.description, redacted(json).description)
        return masked == original ? text : masked
    }

    private func redacted(_ json: JSON) -> JSON {
        switch json {
        case .object(let members):
            .object(
                JSON.Object(members.map { ($0.key, names.contains($0.key) ? $0.value.masked : redacted($0.value)) }))
        case .array(let elements): .array(elements.map(redacted))
        case .string(let string): .string(text(string))
        case .number: text(json.description) == json.description ? json : json.masked
        case .null, .bool: json
        }
    }

    /// Returns the part of a multipart body that is in memory, with each part masked by its name and type.
    package func multipart(_ bytes: [UInt8], boundary: String) -> [UInt8] {
        var (shown, start) = ([UInt8](), 0)
        for part in FormPart.all(in: bytes, boundary: boundary) {
            shown += bytes[start..<part.content.startIndex] + content(of: part)
            start = part.content.endIndex
        }
        return shown + bytes[start...]
    }

    private func content(of part: FormPart) -> [UInt8] {
        if part.content.isEmpty { return [] }
        if names.containsParameter(part.name) { return Array(Self.mark.utf8) }
        if part.type?.isMedia ?? false { return Array(part.content) }
        let type = part.type?.mediaType ?? "text/plain"
        let shown = body(Data(part.content), of: type) ?? "(\(part.content.count) bytes of \(type), not shown)"
        return Array(shown.utf8)
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
