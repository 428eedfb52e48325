import HalyardHTTP
import HalyardFoundation

/// The body in a curl command: arguments, or the output of a command before it.
struct CurlBody {
    private enum Piece {
        case bytes([UInt8])
        /// A file, or a description of a body that cannot be shown, by name.
        case named(String)
    }

    /// The command whose output is the body. `nil` if the arguments contain the body.
    private(set) var input: String?
    private(set) var arguments: [String] = []

    /// The maximum size of an argument, in bytes. Linux allows 128 KiB.
    private static let argumentLimit = 64 << 10

    init(_ request: HTTPRequest, _ redaction: Redaction?) {
        let pieces = Self.pieces(request, redaction)
        switch pieces.first {
        case nil:
            // POST, PUT and PATCH anticipate a body, so they announce one even if there is none (RFC 9110 section 8.6).
            let isSent = request.body != nil || [.post, .put, .patch].contains(request.method)
            arguments = isSent ? ["--data-binary", "''"] : []
        case .named(let name) where pieces.count == 1: arguments = ["--data-binary", Shell.quoted("@\(name)")]
        case .bytes(let bytes) where pieces.count == 1 && Self.isArgument(bytes):
            // With `--data-binary`, text that begins with @ is the name of a file.
            let option = bytes.first == UInt8(ascii: "@") ? "--data-raw" : "--data-binary"
            arguments = [option, Shell.quoted(String(decoding: bytes, as: UTF8.self))]
        default:
            let commands = pieces.map(Self.command)
            input = commands.count == 1 ? commands[0] : "{ \(commands.joined(separator: "; ")); }"
            arguments = ["--data-binary", "@-"]
        }
    }

    private static func command(_ piece: Piece) -> String {
        switch piece {
        case .bytes(let bytes): Shell.printf(bytes)
        case .named(let name): "cat \(Shell.quoted(name))"
        }
    }

    /// Returns whether the bytes are text without control characters but line feeds, so that a terminal accepts them.
    private static func isArgument(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= argumentLimit, let text = String(utf8: bytes) else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || ![.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
        }
    }

    private static func pieces(_ request: HTTPRequest, _ redaction: Redaction?) -> [Piece] {
        var pieces: [Piece] = []
        for segment in request.body?.uncompressed.segments ?? [] {
            switch (segment, pieces.last) {
            case (.bytes(let data), .bytes(let before)): pieces[pieces.count - 1] = .bytes(before + data)
            case (.bytes(let data), _): pieces.append(.bytes(Array(data)))
            case (.file(let file), _): pieces.append(.named(file.path.hasPrefix("/") ? file.path : "./\(file.path)"))
            case (.stream(let stream), _):
                pieces.append(.named("(a stream\(stream.length.map { " of \($0) bytes" } ?? ""))"))
            }
        }
        let shown = pieces.map { piece -> Piece in
            guard case .bytes(let bytes) = piece, let redaction else { return piece }
            return Self.shown(bytes, of: request.headers, redaction)
        }
        return shown.filter { if case .bytes(let bytes) = $0 { !bytes.isEmpty } else { true } }
    }

    private static func shown(_ bytes: [UInt8], of headers: HTTPHeaders, _ redaction: Redaction) -> Piece {
        let type = headers.mediaType
        if let boundary = headers.boundary { return .bytes(redaction.multipart(bytes, boundary: boundary)) }
        if type?.isMedia ?? false { return .bytes(bytes) }
        if let text = redaction.body(Data(bytes), of: type) { return .bytes(Array(text.utf8)) }
        return .named("(\(bytes.count) bytes of \(type ?? "no type"), not shown)")
    }
}

extension HTTPHeaders {
    /// The text between the parts of a multipart body.
    package var boundary: String? {
        guard let type = self[.contentType], type.mediaType.hasPrefix("multipart/"),
            let value = FieldParameters(type)["boundary"], !value.isEmpty
        else { return nil }
        return value
    }
}
