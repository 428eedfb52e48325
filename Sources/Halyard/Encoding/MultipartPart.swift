public import HalyardFoundation
package import HalyardHTTP

/// A part of a `multipart/form-data` body (RFC 7578): a field or a file.
///
/// ```swift
/// let form: [MultipartPart] = [.text("jane", name: "user"), .file(picture, name: "image")]
/// Route(path: "/profile", method: .post, multipart: form)
/// ```
///
/// Parts are sent in order, and duplicate names are kept. Their content can be in memory, in a file or in a stream.
/// Files are opened and measured before anything is sent, and read while they are sent. If the length of every part is
/// known, the length of the body is exact.
public struct MultipartPart: Sendable {
    package enum Content: Sendable {
        case bytes(Data)
        case file(URL)
        case stream(BodyStream)
        /// A field whose lists are written when the array style is known. See ``written(_:)``.
        case value(ParameterValue)
    }

    package let name: String
    package let filename: String?
    package let contentType: String?
    package let content: Content

    /// Returns a text field in UTF-8, without a `Content-Type`. Line breaks are sent as CR LF.
    public static func text(_ text: String, name: String) -> MultipartPart {
        MultipartPart(
            name: name, filename: nil, contentType: nil, content: .bytes(Data(text.normalizingLineBreaks.utf8)))
    }

    /// Returns a part that contains bytes, without copying them. Without a file name, it is a field with a type. The
    /// `Content-Type` defaults to the type for the file name's extension, or else to `application/octet-stream`.
    public static func data(
        _ data: Data, name: String, filename: String? = nil, contentType: String? = nil
    ) -> MultipartPart {
        MultipartPart(
            name: name, filename: filename, contentType: contentType ?? MIMEType.of(filename: filename),
            content: .bytes(data))
    }

    /// Returns a part with the content of a file, which is never loaded into memory as a whole. The file name defaults
    /// to the URL's last component, and the `Content-Type` as in ``data(_:name:filename:contentType:)``.
    public static func file(
        _ url: URL, name: String, filename: String? = nil, contentType: String? = nil
    ) -> MultipartPart {
        let filename = filename ?? url.lastPathComponent
        return MultipartPart(
            name: name, filename: filename, contentType: contentType ?? MIMEType.of(filename: filename),
            content: .file(url))
    }

    /// Returns a part that sends the elements of a sequence as they arrive. Without a length in bytes, the whole body
    /// uses the chunked transfer coding. The `Content-Type` defaults as in ``data(_:name:filename:contentType:)``. See
    /// ``HTTPBody/init(stream:length:)``.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, name: String, filename: String, contentType: String? = nil, length: Int64? = nil
    ) -> MultipartPart where Chunks.Element == Data {
        MultipartPart(
            name: name, filename: filename, contentType: contentType ?? MIMEType.of(filename: filename),
            content: .stream(BodyStream(chunks, length: length)))
    }
}

extension MultipartPart {
    /// Returns the parts of parameters: a field for each single value, and a file for each file.
    package static func parts(
        of parameters: Parameters, arrays: ParameterEncoding.ArrayStyle
    ) throws(HTTPError) -> [MultipartPart] {
        var parts: [MultipartPart] = []
        try FlatParameters.visit(parameters, arrays) { (name, value) throws(HTTPError) in
            let name = name[0] + name.dropFirst().map { "[\($0)]" }.joined()
            switch value.storage {
            case .file(let url): parts.append(.file(url, name: name))
            case .url(let url) where url.isFileURL: parts.append(.file(url, name: name))
            case .list(let values):
                parts.append(.text(values.compactMap(\.text).joined(separator: ","), name: name))
            default: parts.append(.text(value.text ?? "", name: name))
            }
        }
        return parts
    }

    /// Returns the parts to send, with each list written in an array style.
    static func written(
        _ parts: [MultipartPart], _ arrays: ParameterEncoding.ArrayStyle
    ) throws(HTTPError) -> [MultipartPart] {
        guard parts.contains(where: \.isValue) else { return parts }
        var written: [MultipartPart] = []
        for part in parts {
            if case .value(let value) = part.content {
                written += try Self.parts(of: [part.name: value], arrays: arrays).map { written in
                    MultipartPart(
                        name: written.name, filename: written.filename,
                        contentType: part.contentType ?? written.contentType, content: written.content)
                }
            } else {
                written.append(part)
            }
        }
        return written
    }
}

extension MultipartPart {
    fileprivate var isValue: Bool { if case .value = content { true } else { false } }

    /// Returns a field whose value may be a list. The provider's array style decides how the list is written.
    package static func value(
        _ value: ParameterValue, name: String, contentType: String? = nil
    ) -> MultipartPart {
        MultipartPart(name: name, filename: nil, contentType: contentType, content: .value(value))
    }
}

/// Media types by the extension of a file name (IANA registry; RFC 9239 for JavaScript).
package enum MIMEType {
    /// Returns the type for a file name. Defaults to `application/octet-stream`.
    package static func of(filename: String?) -> String {
        guard let filename, let dot = filename.lastIndex(of: ".") else { return unknown }
        return types[filename[filename.index(after: dot)...].lowercased()] ?? unknown
    }

    private static let unknown = "application/octet-stream"

    private static let types: [String: String] = [
        "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic",
        "heif": "image/heif", "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
        "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
        "json": "application/json", "m4a": "audio/mp4", "m4v": "video/mp4", "md": "text/markdown",
        "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "oga": "audio/ogg",
        "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
        "tiff": "image/tiff", "ttf": "font/ttf", "txt": "text/plain", "wasm": "application/wasm",
        "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm", "webp": "image/webp", "woff": "font/woff",
        "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "zip": "application/zip",
    ]
}
