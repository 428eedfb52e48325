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
        guard type?.hasSuffix("json") ?? true, (try? JSON(parsing: text)) != nil else { return nil }
        return self.text(text)
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

extension String {
    /// Whether it is the type of a picture, sound, film or font, which have no names.
    var isMedia: Bool { ["image/", "audio/", "video/", "font/"].contains(where: lowercased().hasPrefix) }
}
