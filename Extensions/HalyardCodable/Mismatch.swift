import Halyard

extension HTTPResponse {
    /// Why the body is no value of a type, in words: the type, the place in the JSON, what was expected, what is there.
    func mismatch(_ error: any Error, _ type: Any.Type) -> String {
        let json: JSON
        do { json = try JSON(parsing: data) } catch { return "\(error)" }
        guard let error = error as? DecodingError else { return "\(type): \(error)" }
        switch error {
        case .keyNotFound(let key, let context):
            let place = context.codingPath + [key]
            return "\(place.words) is missing, which \(type) needs"
        case .valueNotFound(let wanted, let context):
            return "\(context.codingPath.words) is null, where \(type) needs \(words(wanted))"
        case .typeMismatch(let wanted, let context):
            let found = json.at(context.codingPath).kind
            return "\(context.codingPath.words) is \(found), where \(type) needs \(words(wanted))"
        case .dataCorrupted(let context):
            return "\(context.codingPath.words) does not suit \(type): \(context.debugDescription)"
        @unknown default:
            return "\(type): \(error)"
        }
    }

    /// What a decoder says it wants, in JSON's terms where it asks for a container.
    private func words(_ type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        default: "\(type)"
        }
    }
}

extension [any CodingKey] {
    /// As it would be written in code: `items[2].name`.
    fileprivate var words: String {
        if isEmpty { return "the body" }
        var path = ""
        for key in self {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return "\"\(path)\""
    }
}

extension JSON {
    fileprivate func at(_ path: [any CodingKey]) -> JSON {
        path.reduce(self) { json, key in key.intValue.map { json[$0] } ?? json[key.stringValue] }
    }

    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
