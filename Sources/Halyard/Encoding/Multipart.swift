public import HalyardFoundation
import HalyardHTTP

/// The parts of a `multipart/form-data` body (RFC 7578), in order, duplicates kept.
///
/// ```swift
/// let form: Multipart = [.text("jane", name: "user"), .file(picture, name: "image")]
/// Route(path: "/profile", method: .post, multipart: form)
/// ```
///
/// Parts may be in memory, in files and in streams. Files are opened and measured before anything is sent, and read
/// while they are; the body's length is exact wherever all parts know theirs.
public struct Multipart: Sendable, ExpressibleByArrayLiteral {
    /// The parts, in the order in which they are sent.
    public private(set) var parts: [Part] = []

    /// A form of parts.
    public init(_ parts: [Part] = []) { self.parts = parts }

    /// A form of parts.
    public init(arrayLiteral parts: Part...) { self.parts = parts }

    /// Adds a part at the end.
    public mutating func append(_ part: Part) { parts.append(part) }

    /// One part: a field or a file.
    public struct Part: Sendable {
        package enum Content: Sendable {
            case bytes(Data)
            case file(URL)
            case stream(BodyStream)
            /// A field whose lists are written once the array style is known; see ``Multipart/written(_:)``.
            case value(ParameterValue)
        }

        package let name: String
        package let filename: String?
        package let mimeType: String?
        package let content: Content

        /// A field: text, whose line breaks are sent as CR LF. It says no type.
        public static func text(_ text: String, name: String) -> Part {
            Part(name: name, filename: nil, mimeType: nil, content: .bytes(Data(text.normalizingLineBreaks.utf8)))
        }

        /// Bytes.
        ///
        /// - Parameters:
        ///   - data: the bytes, which are not copied.
        ///   - name: the field's name.
        ///   - filename: what the server is told the file is called; without one the part is a field with a type.
        ///   - mimeType: from the filename's extension unless given, else `application/octet-stream`.
        public static func data(_ data: Data, name: String, filename: String? = nil, mimeType: String? = nil) -> Part {
            Part(
                name: name, filename: filename, mimeType: mimeType ?? MIMEType.of(filename: filename),
                content: .bytes(data))
        }

        /// A file, never held whole.
        ///
        /// - Parameters:
        ///   - url: where the file is.
        ///   - name: the field's name.
        ///   - filename: the last component of the URL unless given.
        ///   - mimeType: from the filename's extension unless given, else `application/octet-stream`.
        public static func file(_ url: URL, name: String, filename: String? = nil, mimeType: String? = nil) -> Part {
            let filename = filename ?? url.lastPathComponent
            return Part(
                name: name, filename: filename, mimeType: mimeType ?? MIMEType.of(filename: filename),
                content: .file(url))
        }

        /// What a sequence gives, sent as it comes; see ``HTTPBody/init(stream:length:)``.
        ///
        /// - Parameters:
        ///   - chunks: the sequence.
        ///   - name: the field's name.
        ///   - filename: what the server is told the file is called.
        ///   - mimeType: from the filename's extension unless given, else `application/octet-stream`.
        ///   - length: bytes, where they are known. Else the whole body is sent chunked.
        public static func stream<Chunks: AsyncSequence & Sendable>(
            _ chunks: Chunks, name: String, filename: String, mimeType: String? = nil, length: Int64? = nil
        ) -> Part where Chunks.Element == Data {
            Part(
                name: name, filename: filename, mimeType: mimeType ?? MIMEType.of(filename: filename),
                content: .stream(BodyStream(chunks, length: length)))
        }
    }
}
