public import HalyardFoundation
public import HalyardCodable

extension Argument where Value == Data {
    /// A part of a multipart form: bytes. See ``part(_:as:filename:mimeType:)``.
    public static func part(_ name: String, filename: String? = nil, mimeType: String? = nil) -> Argument {
        part(name, as: Data.self, filename: filename, mimeType: mimeType)
    }
}

extension Argument where Value: PartConvertible {
    /// A part of a multipart form: bytes, text, the file of a URL, a `Multipart.Part` of the call's own, a list of these
    /// or an optional, which is left out when it is `nil`. Parts and fields keep the order of the arguments.
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - type: what the call gives.
    ///   - filename: what the server is told the file is called; of a file its own name, unless given.
    ///   - mimeType: from the filename's extension unless given, else `application/octet-stream`; text says none.
    public static func part(
        _ name: String, as type: Value.Type, filename: String? = nil, mimeType: String? = nil
    ) -> Argument {
        Argument([.part]) { value, draft in
            for part in value.parts(name: name, filename: filename, mimeType: mimeType) {
                draft.pieces.append(.part(part))
            }
        }
    }
}

/// A type whose values can be parts of a multipart form: `Data`, `String`, the `URL` of a file, `Multipart.Part`, and
/// optionals and arrays of these.
public protocol PartConvertible: Sendable {
    /// The parts of a value, in order.
    ///
    /// - Parameters:
    ///   - name: the field's name.
    ///   - filename: what the server is told the file is called, if anything.
    ///   - mimeType: the type, if one was given.
    func parts(name: String, filename: String?, mimeType: String?) -> [Multipart.Part]
}

extension Data: PartConvertible {
    /// One part.
    public func parts(name: String, filename: String?, mimeType: String?) -> [Multipart.Part] {
        [.data(self, name: name, filename: filename, mimeType: mimeType)]
    }
}

extension String: PartConvertible {
    /// One part: a field, or with a filename or a type the text's bytes.
    public func parts(name: String, filename: String?, mimeType: String?) -> [Multipart.Part] {
        guard filename != nil || mimeType != nil else { return [.text(self, name: name)] }
        return [.data(Data(utf8), name: name, filename: filename, mimeType: mimeType)]
    }
}

extension URL: PartConvertible {
    /// One part: the file, never held whole.
    public func parts(name: String, filename: String?, mimeType: String?) -> [Multipart.Part] {
        [.file(self, name: name, filename: filename, mimeType: mimeType)]
    }
}

extension Multipart.Part: PartConvertible {
    /// Itself, with the name, filename and type that it has.
    public func parts(name: String, filename: String?, mimeType: String?) -> [Multipart.Part] { [self] }
}

extension Optional: PartConvertible where Wrapped: PartConvertible {
    /// The value's; none when it is `nil`.
    public func parts(name: String, filename: String?, mimeType: String?) -> [Multipart.Part] {
        map { $0.parts(name: name, filename: filename, mimeType: mimeType) } ?? []
    }
}

extension Array: PartConvertible where Element: PartConvertible {
    /// The elements' parts, in order.
    public func parts(name: String, filename: String?, mimeType: String?) -> [Multipart.Part] {
        flatMap { $0.parts(name: name, filename: filename, mimeType: mimeType) }
    }
}
