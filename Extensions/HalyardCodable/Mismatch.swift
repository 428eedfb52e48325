import Halyard
import HalyardFoundation

extension HTTPResponse {
    /// Returns the reason why the body does not fit a type: the place in the JSON, the value there, the type and the
    /// expectation; and a suggestion, if there is one. `dates` is `nil` for a mapper with a custom decoder.
    func mismatch(
        _ error: any Error, _ type: Any.Type, in data: Data, _ path: JSONPath, at start: String,
        _ dates: ObjectMapper.DateStyle?
    ) -> (reason: String, suggestion: String?) {
        let json: JSON
        do { json = try path.value(in: JSON(untilCancelled: data)) } catch { return ("\(error)", nil) }
        guard let error = error as? DecodingError else { return ("\(type): \(error)", nil) }
        guard let dates, case .typeMismatch(let wanted, let context) = error, wanted == Date.self else {
            let suggestion = error.timeZoneSuggestion ?? json.numberSuggestion(error, at: start)
            return (json.reason(error, type, at: start), suggestion)
        }
        let (place, found) = json.at(start, context.codingPath)
        let containerType = element(of: type, at: context.codingPath.dropLast())
        let owner = (context.underlyingError as? FieldFailure)?.label ?? "\(containerType)"
        let others = dates.isISO8601 ? ".millisecondsSince1970 or .secondsSince1970" : ".iso8601"
        let isDate =
            dates == .automatic ? false : dates.isISO8601 ? found?.number != nil : found?.looksLikeDate ?? false
        return (
            "\(place) is \(found?.kind ?? "missing"), where \(owner) needs a Date, as \(dates.formatName)",
            isDate ? dateFormatSuggestion(others) : nil
        )
    }
}

extension HTTPResponse {
    /// Returns the suggestion for dates in another format. If the API was read before, the stub is probably written
    /// with another mapper.
    private func dateFormatSuggestion(_ others: String) -> String {
        let suggestion = "Set the ObjectMapper(dates:) of the provider or the route to \(others)"
        guard notes.isStub else { return suggestion }
        return
            "Write the stub with the API's mapper: .json(value, mapper: api.mapper). If the API has such dates: \(suggestion)"
    }
}

extension DecodingError {
    /// The suggestion for a date without a time zone. `nil` for any other error.
    fileprivate var timeZoneSuggestion: String? {
        let failure = context?.underlyingError as? FieldFailure
        guard (failure?.cause ?? context?.underlyingError) is DateWithoutZone else { return nil }
        let place =
            failure?.expected == nil ? "the ObjectMapper(dates:) of the provider or the route" : "the property's using:"
        return "Set \(place) to .iso8601(assuming: .gmt), or to the API's time zone"
    }
}

extension JSON {
    fileprivate func reason(_ error: DecodingError, _ type: Any.Type, at start: String) -> String {
        // The property of a model, if it is known.
        let failure = error.context?.underlyingError as? FieldFailure
        // The type that lacks a member, or contains the value: the element of an array, if the types tell it.
        let path = error.context?.codingPath ?? []
        let usesWholePath =
            if case .keyNotFound = error { true } else if case .dataCorrupted = error { true } else { false }
        let owner = failure?.label ?? "\(element(of: type, at: usesWholePath ? path[...] : path.dropLast()))"
        switch error {
        case .keyNotFound(let key, let context):
            let place = at(start, context.codingPath + [key]).place
            return "\(place) is missing, but \(owner) requires it"
        case .valueNotFound(let wanted, let context), .typeMismatch(let wanted, let context):
            let (place, found) = at(start, context.codingPath)
            let isDate = wanted == Double.self && found?.looksLikeDate ?? false
            let hint = isDate ? ", or a Date that the ObjectMapper reads as text" : ""
            let needed = failure?.expected ?? typeName(wanted) + hint
            return "\(place) is \(found?.kind ?? "missing"), where \(owner) needs \(needed)"
        case .dataCorrupted(let context) where context.debugDescription == "The given data was not valid JSON.":
            // JSONDecoder on Linux reports a number in this way, without its place, although the body is JSON.
            return "a number in the body does not fit \(owner): it is too large, or has a fraction"
        case .dataCorrupted(let context):
            let place = at(start, context.codingPath).place
            return "\(place) is not valid for \(owner): \(context.debugDescription.inOneLine)"
        @unknown default:
            return "\(type): \(error)"
        }
    }

    /// Returns the name of an expected type, in terms of JSON for a container.
    private func typeName(_ type: Any.Type) -> String {
        switch type {
        case is [String: Any].Type: "an object"
        case is [Any].Type: "an array"
        default: "\(type)"
        }
    }
}

/// Returns the type of the value at a path, as far as arrays, dictionaries and optionals tell it.
private func element(of type: Any.Type, at path: ArraySlice<any CodingKey>) -> Any.Type {
    if let type = type as? any AnyOptional.Type, !path.isEmpty { return element(of: type.wrapped, at: path) }
    guard !path.isEmpty, let type = type as? any Container.Type else { return type }
    return element(of: type.element, at: path.dropFirst())
}

private protocol Container {
    static var element: Any.Type { get }
}

extension Array: Container {
    fileprivate static var element: Any.Type { Element.self }
}

extension Dictionary: Container {
    fileprivate static var element: Any.Type { Value.self }
}

extension JSON {
    /// The suggestion for a number that is written as text. `nil` for any other error.
    fileprivate func numberSuggestion(_ error: DecodingError, at start: String) -> String? {
        guard case .typeMismatch(let wanted, let context) = error,
            wanted is any Numeric.Type || wanted is Decimal.Type,
            let text = at(start, context.codingPath).value?.string, JSON.Number(text: text) != nil
        else { return nil }
        return "Set the ObjectMapper(numbers:) of the provider or the route to .orText"
    }

    /// Whether it is text that begins like ISO 8601, such as `2030-01-31`.
    fileprivate var looksLikeDate: Bool {
        let start = Array((string ?? "").utf8.prefix(10))
        guard start.count == 10 else { return false }
        return start.indices.allSatisfy { index in
            let isDash = index == 4 || index == 7
            return isDash ? start[index] == UInt8(ascii: "-") : ASCIISet.digits.contains(start[index])
        }
    }

    /// Returns a place as it is written in code, `items[2].name`, in quotes, and the value there.
    ///
    /// A number may be an index or a key, as in a `[Int: String]`. The value decides.
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
