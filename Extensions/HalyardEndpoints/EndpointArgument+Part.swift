public import HalyardFoundation
public import HalyardCodable

extension EndpointArgument where Value == Data {
    /// Returns a part of a multipart form, with bytes. See ``part(_:as:filename:contentType:)``.
    ///
    /// - Parameters:
    ///   - filename: The file name that is sent. Defaults to none.
    ///   - contentType: The `Content-Type`. Defaults to the type for the file name's extension, or else to
    ///     `application/octet-stream`.
    public static func part(_ name: String, filename: String? = nil, contentType: String? = nil) -> EndpointArgument {
        part(name, as: Data.self, filename: filename, contentType: contentType)
    }
}

extension EndpointArgument where Value: PartConvertible {
    /// Returns a part of a multipart form. Parts and fields keep the order of the arguments.
    ///
    /// - Parameters:
    ///   - type: The type of the value: `Data`, `String`, the `URL` of a file, `Multipart.Part`, or an array or an
    ///     optional of these. `nil` is left out.
    ///   - filename: The file name that is sent. For a file it defaults to the file's own name, otherwise to none.
    ///   - contentType: The `Content-Type`. Defaults to the type for the file name's extension, or else to
    ///     `application/octet-stream`. Text has none by default.
    public static func part(
        _ name: String, as type: Value.Type, filename: String? = nil, contentType: String? = nil
    ) -> EndpointArgument {
        EndpointArgument([.part]) { value, draft in
            for part in value.multipartParts(name: name, filename: filename, contentType: contentType) {
                draft.pieces.append(.part(part))
            }
        }
    }
}

/// A type whose values can be parts of a multipart form: `Data`, `String`, the `URL` of a file, `Multipart.Part`, and
/// optionals and arrays of these.
public protocol PartConvertible: Sendable {
    /// Returns the parts of the value, in order.
    ///
    /// - Parameters:
    ///   - filename: The file name that is sent. `nil` for none.
    ///   - contentType: The `Content-Type`. `nil` for the default.
    func multipartParts(name: String, filename: String?, contentType: String?) -> [Multipart.Part]
}

extension Data: PartConvertible {
    /// Returns one part with the bytes.
    ///
    /// - Parameters:
    ///   - filename: The file name. `nil` for the default.
    ///   - contentType: The `Content-Type`. `nil` for the default.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [Multipart.Part] {
        [.data(self, name: name, filename: filename, contentType: contentType)]
    }
}

extension String: PartConvertible {
    /// Returns one part: a field, or the bytes of the text if there is a file name or a type.
    ///
    /// - Parameters:
    ///   - filename: The file name. `nil` for the default.
    ///   - contentType: The `Content-Type`. `nil` for the default.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [Multipart.Part] {
        guard filename != nil || contentType != nil else { return [.text(self, name: name)] }
        return [.data(Data(utf8), name: name, filename: filename, contentType: contentType)]
    }
}

extension URL: PartConvertible {
    /// Returns one part with the content of the file, which is never in memory as a whole.
    ///
    /// - Parameters:
    ///   - filename: The file name. `nil` for the default.
    ///   - contentType: The `Content-Type`. `nil` for the default.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [Multipart.Part] {
        [.file(self, name: name, filename: filename, contentType: contentType)]
    }
}

extension Multipart.Part: PartConvertible {
    /// Returns the part itself, with its own name, file name and type.
    ///
    /// - Parameters:
    ///   - filename: The file name. `nil` for the default.
    ///   - contentType: The `Content-Type`. `nil` for the default.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [Multipart.Part] { [self] }
}

extension Optional: PartConvertible where Wrapped: PartConvertible {
    /// Returns the parts of the wrapped value. Empty for `nil`.
    ///
    /// - Parameters:
    ///   - filename: The file name. `nil` for the default.
    ///   - contentType: The `Content-Type`. `nil` for the default.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [Multipart.Part] {
        map { $0.multipartParts(name: name, filename: filename, contentType: contentType) } ?? []
    }
}

extension Array: PartConvertible where Element: PartConvertible {
    /// Returns the parts of the elements, in order.
    ///
    /// - Parameters:
    ///   - filename: The file name. `nil` for the default.
    ///   - contentType: The `Content-Type`. `nil` for the default.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [Multipart.Part] {
        flatMap { $0.multipartParts(name: name, filename: filename, contentType: contentType) }
    }
}
