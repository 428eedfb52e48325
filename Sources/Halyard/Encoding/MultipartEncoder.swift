import HalyardHTTP
import HalyardFoundation

/// Writes a form as the segments of a body. The lines between the parts are in memory. Files and streams remain
/// segments of their own.
struct MultipartEncoder {
    /// Long and random, so that no content contains it by accident.
    private let boundary: String
    /// The bytes before each part's name, with the line break that ends the part before it.
    private let opening: [UInt8]
    private var segments: [HTTPBody.Segment] = []
    private var lines: [UInt8] = []

    /// The first half of every boundary, made once per process, because random numbers are slow.
    private static let common = randomText()

    private init(partCount: Int) {
        boundary = "Boundary-" + Self.common + Self.randomText()
        var opening = Array("\r\n--".utf8)
        opening.reserveCapacity(128)
        opening.append(contentsOf: boundary.utf8)
        opening.append(contentsOf: "\r\nContent-Disposition: form-data; name=\"".utf8)
        self.opening = opening
        lines.reserveCapacity(opening.count + partCount * (opening.count + 128))
        segments.reserveCapacity(4)
    }

    /// Returns 63 random bits as text of 19 digits, so that the same form always has the same length. A UUID is slower:
    /// Foundation opens a file for its random bytes.
    private static func randomText() -> String {
        String(UInt64.random(in: 1_000_000_000_000_000_000...9_999_999_999_999_999_999))
    }

    static func encode(_ form: [MultipartPart]) throws(HTTPError) -> (body: HTTPBody, contentType: String) {
        let parts = try MultipartPart.written(form, .repeated)
        var encoder = MultipartEncoder(partCount: parts.count)
        // A part is not copied: that would retain each of its values.
        for index in parts.indices { try encoder.append(parts[index]) }
        encoder.lines.append(contentsOf: (encoder.isEmpty ? "--" : "\r\n--").utf8)
        encoder.lines.append(contentsOf: encoder.boundary.utf8)
        encoder.lines.append(contentsOf: "--\r\n".utf8)
        encoder.flush()
        return (HTTPBody(segments: encoder.segments), "multipart/form-data; boundary=" + encoder.boundary)
    }

    /// Whether there is no part yet. The first one follows no line break.
    private var isEmpty: Bool { lines.isEmpty && segments.isEmpty }

    private mutating func append(_ part: MultipartPart) throws(HTTPError) {
        lines.append(contentsOf: opening[(isEmpty ? 2 : 0)...])
        lines.append(escapingForQuotes: part.name) { $0.normalizingLineBreaks }
        if let filename = part.filename {
            lines.append(contentsOf: "\"; filename=\"".utf8)
            lines.append(escapingForQuotes: filename) { $0 }
        }
        if let contentType = part.contentType {
            // This is a header field, and is checked like any other.
            let field = try HTTPHeaders.Field("Content-Type", contentType)
            lines.append(contentsOf: "\"\r\nContent-Type: ".utf8)
            lines.append(contentsOf: field.value.utf8)
            lines.append(contentsOf: "\r\n\r\n".utf8)
        } else {
            lines.append(contentsOf: "\"\r\n\r\n".utf8)
        }
        switch part.content {
        case .bytes(let data) where data.count <= 1024: data.withUnsafeBytes { lines.append(contentsOf: $0) }
        case .bytes(let data): append(.bytes(data))
        case .file(let url): append(.file(try FileSource(url)))
        case .value: break  // `written(_:)` left none
        case .stream(let stream):
            if let length = stream.length, length < 0 {
                throw HTTPError(
                    .encoding(part.name), reason: "its length is \(length)",
                    suggestion: "Omit the length if it is not known")
            }
            append(.stream(stream))
        }
    }

    private mutating func append(_ segment: HTTPBody.Segment) {
        flush()
        segments.append(segment)
    }

    private mutating func flush() {
        segments.append(.bytes(Data(lines)))
        lines.removeAll(keepingCapacity: true)
    }
}

extension [UInt8] {
    /// Appends a name inside quotes, as in the HTML standard (section 4.10.21.8): `"`, CR and LF are percent-encoded,
    /// after a change of the name.
    fileprivate mutating func append(escapingForQuotes text: String, preparing: (String) -> String) {
        let start = count
        append(contentsOf: text.utf8)
        guard self[start...].contains(where: Self.isEscapedInQuotes) else { return }
        removeSubrange(start...)
        for byte in preparing(text).utf8 {
            if Self.isEscapedInQuotes(byte) { append(percentEncoded: byte) } else { append(byte) }
        }
    }

    private static func isEscapedInQuotes(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == 0x0D || byte == 0x0A
    }
}

extension String {
    /// The text with CR LF for every line break, as in the HTML standard.
    var normalizingLineBreaks: String {
        guard utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return self }
        var bytes: [UInt8] = []
        var previous: UInt8 = 0
        for byte in utf8 {
            if byte == 0x0A && previous == 0x0D {
                // The line break was written with the preceding CR.
            } else if byte == 0x0D || byte == 0x0A {
                bytes += [0x0D, 0x0A]
            } else {
                bytes.append(byte)
            }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
