package import HalyardHTTP
import HalyardFoundation

extension Multipart {
    /// Makes a form of parameters: a field for each single value, and a file for each file.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding` for a value that cannot be written.
    package init(_ parameters: Parameters, arrays: ParameterEncoding.ArrayStyle) throws(HTTPError) {
        var parts: [Part] = []
        try FlatParameters.visit(parameters, arrays) { (name, value) throws(HTTPError) in
            switch value.storage {
            case .file(let url): parts.append(.file(url, name: name.text))
            case .url(let url) where url.isFileURL: parts.append(.file(url, name: name.text))
            case .list(let values):
                parts.append(.text(values.compactMap(\.text).joined(separator: ","), name: name.text))
            default: parts.append(.text(value.text ?? "", name: name.text))
            }
        }
        self.init(parts)
    }
}

extension Multipart {
    /// Returns the parts to send, with each list written in an array style.
    ///
    /// - Throws: ``HTTPError`` of kind `encoding` for a value that cannot be written.
    func written(_ arrays: ParameterEncoding.ArrayStyle) throws(HTTPError) -> [Part] {
        guard parts.contains(where: \.isValue) else { return parts }
        var written: [Part] = []
        for part in parts {
            if case .value(let value) = part.content {
                written += try Multipart([part.name: value], arrays: arrays).parts
            } else {
                written.append(part)
            }
        }
        return written
    }
}

extension Multipart.Part {
    fileprivate var isValue: Bool { if case .value = content { true } else { false } }

    /// Returns a field whose value may be a list. The provider's array style decides how the list is written.
    package static func field(_ value: ParameterValue, name: String) -> Multipart.Part {
        Multipart.Part(name: name, filename: nil, contentType: nil, content: .value(value))
    }
}
