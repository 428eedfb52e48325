import Halyard

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension HTTPResponse {
    /// Why the body is no value of a type, in words: the place in the JSON, what is there, the type, what was expected.
    func mismatch(_ error: any Error, _ type: Any.Type, in data: Data, at start: String) -> String {
        let json: JSON
        do { json = try JSON(parsing: data) } catch { return "\(error)" }
        guard let error = error as? DecodingError else { return "\(type): \(error)" }
        switch error {
        case .keyNotFound(let key, let context):
            let place = json.at(start, context.codingPath + [key]).place
            return "\(place) is missing, which \(type) needs"
        case .valueNotFound(let wanted, let context), .typeMismatch(let wanted, let context):
            let (place, found) = json.at(start, context.codingPath)
            let hint =
                wanted == Double.self && found?.string != nil ? ", or a Date that the ObjectMapper reads as text" : ""
            return "\(place) is \(found?.kind ?? "missing"), where \(type) needs \(words(wanted))\(hint)"
        case .dataCorrupted(let context) where context.debugDescription == "The given data was not valid JSON.":
            // What JSONDecoder on Linux says of a number, without its place, though it is JSON.
            return "a number in the body does not fit \(type): it is too large, or has a fraction"
        case .dataCorrupted(let context):
            let place = json.at(start, context.codingPath).place
            return "\(place) does not suit \(type): \(context.debugDescription.inOneLine)"
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

extension JSON {
    /// A place as it would be written in code, `items[2].name`, in quotes, and what is there.
    ///
    /// A key with a number may be an object's as well, such as one of a `[Int: String]`: what is there decides.
    ///
    /// - Parameter start: the key path at which this JSON itself stands.
    fileprivate func at(_ start: String, _ path: [any CodingKey]) -> (place: String, value: JSON?) {
        var (place, value) = (start, JSON?.some(self))
        for key in path {
            if let elements = value?.array, let index = key.intValue {
                place += "[\(index)]"
                value = elements.indices.contains(index) ? elements[index] : JSON?.none
            } else {
                place += (place.isEmpty ? "" : ".") + key.stringValue
                value = value?.object?[key.stringValue]
            }
        }
        return (place.isEmpty ? "the body" : place.quoted, value)
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
