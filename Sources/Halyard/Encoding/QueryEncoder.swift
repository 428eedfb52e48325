import HalyardHTTP

/// Writes parameters as `name=value&name=value`, for a query or a form, into one buffer.
struct QueryEncoder {
    private(set) var bytes: [UInt8] = []

    static func encode(_ parameters: Parameters) throws(HTTPError) -> [UInt8] {
        var encoder = QueryEncoder()
        encoder.bytes.reserveCapacity(parameters.items.count * 24)
        for item in parameters.items { try encoder.append(item.value, name: [item.name]) }
        return encoder.bytes
    }

    /// - Parameter name: the name, and the members that lead to the value.
    private mutating func append(_ value: ParameterValue, name: [String]) throws(HTTPError) {
        switch value.storage {
        case .absent: break
        case .nothing: appendName(name)
        case .text(let text):
            appendName(name)
            bytes.append(percentEncoding: text)
        case .flag(let flag):
            appendName(name)
            bytes.append(contentsOf: (flag ? "true" : "false").utf8)
        case .integer(let number):
            appendName(name)
            bytes.append(contentsOf: String(number).utf8)
        case .number(let number):
            appendName(name)
            bytes.append(percentEncoding: number)
        case .list(let values): try append(list: values, name: name)
        case .members(let members):
            try ParameterValue.checkDepth(name.count, name[0])
            for item in members.items { try append(item.value, name: name + [item.name]) }
        case .unwritable(let reason): throw HTTPError(.encoding(name.joined(separator: ".")), reason: reason)
        }
    }

    /// A list repeats the name; lists and objects inside it would run into each other and are numbered.
    private mutating func append(list values: [ParameterValue], name: [String]) throws(HTTPError) {
        try ParameterValue.checkDepth(name.count, name[0])
        for (index, value) in values.enumerated() {
            try append(value, name: value.isContainer ? name + [String(index)] : name)
        }
    }

    private mutating func appendName(_ name: [String]) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        bytes.append(percentEncoding: name[0])
        for member in name.dropFirst() {
            bytes.append(contentsOf: "%5B".utf8)
            bytes.append(percentEncoding: member)
            bytes.append(contentsOf: "%5D".utf8)
        }
        bytes.append(UInt8(ascii: "="))
    }
}

extension ParameterValue {
    fileprivate var isContainer: Bool {
        switch storage {
        case .list, .members: true
        default: false
        }
    }

    /// Parameters nest at most this deep: each level is a frame of the writer's stack.
    static func checkDepth(_ depth: Int, _ name: String) throws(HTTPError) {
        if depth > 512 { throw HTTPError(.encoding(name), reason: "it is nested more than 512 levels deep") }
    }
}
