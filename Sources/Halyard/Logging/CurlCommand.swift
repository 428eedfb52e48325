import HalyardFoundation
public import HalyardHTTP

extension HTTPRequest {
    /// Returns the request as a command for a POSIX shell: `curl -X POST https://api.example.com/users -H …`.
    ///
    /// ```swift
    /// print(try api.prepare(.user("1")).curlCommand())
    /// ```
    ///
    /// Secrets are masked, as in a log:
    ///
    /// - Text in memory is an argument. Other bytes, and long bodies, come from a `printf` before the command.
    /// - A body that may contain secrets that cannot be found is omitted, unless `showingSecrets` is `true`. This
    ///   applies to bodies that are not text, JSON, a form or a picture.
    /// - A compressed body is shown as it was before compression, and so is not compressed.
    /// - A file is named, and curl reads it.
    /// - A stream is described. It can be read only once, and is not read here.
    ///
    /// With `showingSecrets`, the command contains credentials, cookies and other secrets.
    public func curlCommand(showingSecrets: Bool = false) -> String {
        CurlCommand(self, showingSecrets ? nil : Redaction(self)).text
    }
}

/// Writes a request as a curl command.
struct CurlCommand {
    private let request: HTTPRequest
    /// Masks secrets. `nil` to show everything.
    private let redaction: Redaction?

    init(_ request: HTTPRequest, _ redaction: Redaction?) {
        self.request = request
        self.redaction = redaction
    }

    var text: String {
        let body = CurlBody(request, redaction)
        let arguments = ["curl"] + method + [Shell.quoted(url)] + headers + body.arguments
        return (body.input.map { [$0 + " |"] + arguments } ?? arguments).joined(separator: " ")
    }

    private var sendsBody: Bool { request.body != nil || request.method.anticipatesBody }

    private var method: [String] {
        switch request.method {
        case .get where !sendsBody: []
        case .head where !sendsBody: ["-I"]
        default: ["-X", Shell.quoted(request.method.rawValue)]
        }
    }

    private var url: String { redaction?.url(request.address.text) ?? request.address.text }

    private var headers: [String] {
        // curl interprets brackets, and shortens a path with dots.
        var arguments = request.address.text.utf8.contains(where: "[]{}".utf8.contains) ? ["-g"] : []
        if request.address.text.contains("/.") { arguments.append("--path-as-is") }
        let isCompressed = request.body?.isCompressed ?? false
        for field in request.headers where !(isCompressed && field.name.matches("Content-Encoding")) {
            let value = redaction?.value(of: field) ?? field.value
            arguments += ["-H", Shell.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")]
        }
        // Header fields that curl adds by itself.
        for name in ["Accept", "User-Agent"] + (sendsBody ? ["Content-Type"] : [])
        where !request.headers.contains(name) {
            arguments += ["-H", Shell.quoted("\(name):")]
        }
        return arguments
    }
}

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
            arguments = request.method.anticipatesBody || request.body != nil ? ["--data-binary", "''"] : []
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
            case (.file(let file), _) where !file.isWhole:
                pieces.append(.named("(\(file.length) bytes of \(file.path), from \(file.start))"))
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

/// Writes arguments for a POSIX shell, which reproduces them byte by byte.
enum Shell {
    /// Returns one argument in single quotes (POSIX 2.2.2), in which only the quote itself is special.
    static func quoted(_ text: String) -> String {
        if text.consists(of: plain) { return text }
        // This works on scalars: a quote followed by a combining accent is one character.
        let escaped = text.unicodeScalars.reduce(into: "") { $0 += $1 == "'" ? #"'\''"# : String($1) }
        return "'\(escaped)'"
    }

    /// Returns a `printf` command for any bytes, in printable ASCII.
    static func printf(_ bytes: some Sequence<UInt8>) -> String {
        var format = ""
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "%"): format += "%%"
            case UInt8(ascii: "\\"): format += #"\\"#
            case UInt8(ascii: "\n"): format += #"\n"#
            // A hyphen at the start would begin an option.
            case UInt8(ascii: "-") where format.isEmpty: format += #"\055"#
            case 0x20..<0x7F where byte != UInt8(ascii: "'"): format.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 8)
                format += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return "printf '\(format)'"
    }

    private static let plain = ASCIISet.alphanumerics.union(ASCIISet("-_./:@%+,="))
}
