import HalyardCodable
public import HalyardEndpoints
public import HalyardFoundation

extension [MultipartPart] {
    /// Returns the parts of a form by their names. `nil` is left out.
    public static func form(_ parts: KeyValuePairs<String, (any PartConvertible)?>) -> [MultipartPart] {
        parts.flatMap { name, part in part?.multipartParts(name: name, filename: nil, contentType: nil) ?? [] }
    }
}

extension PartConvertible {
    /// Returns the value as a part with this media type. A `MultipartPart` keeps its own.
    public func part(contentType: String) -> some PartConvertible { TypedPart(value: self, contentType: contentType) }
}

/// A part whose media type the document gives.
private struct TypedPart<Value: PartConvertible>: PartConvertible {
    let value: Value
    let contentType: String

    func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        value.multipartParts(name: name, filename: filename, contentType: contentType ?? self.contentType)
    }
}

extension PartConvertible where Self: PathConvertible {
    /// A part with the value as text, as in a query. Without a media type, it has none.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        [.value(parameterValue, name: name, contentType: contentType)]
    }
}

extension Bool: PartConvertible {}
extension Int: PartConvertible {}
extension Int64: PartConvertible {}
extension Double: PartConvertible {}
extension Decimal: PartConvertible {}
extension UUID: PartConvertible {}
extension ISO8601Date: PartConvertible {}

extension APIValue {
    /// A part with the value as JSON. A value that cannot be written fails the request.
    public func multipartParts(name: String, filename: String?, contentType: String?) -> [MultipartPart] {
        do {
            let data = try ObjectMapper(dates: .iso8601).encode(self)
            return [.data(data, name: name, filename: filename, contentType: contentType ?? "application/json")]
        } catch {
            return [.value(ParameterValue(.unwritable("\(error)")), name: name)]
        }
    }
}
