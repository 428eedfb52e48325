import HalyardHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes parameters as one JSON object, into one buffer.
struct JSONEncoding {
    private var writer = JSONWriter()

    static func encode(_ parameters: Parameters) throws(HTTPError) -> [UInt8] {
        var encoding = JSONEncoding()
        try encoding.write(members: parameters, of: "the body", depth: 1)
        return encoding.writer.bytes
    }

    private mutating func write(members: Parameters, of name: String, depth: Int) throws(HTTPError) {
        try ParameterValue.checkDepth(depth, name)
        writer.beginObject()
        for item in members.items {
            writer.write(name: item.name)
            try write(item.value, of: item.name, depth: depth)
        }
        writer.endObject()
    }

    private mutating func write(_ value: ParameterValue, of name: String, depth: Int) throws(HTTPError) {
        switch value.storage {
        case .absent, .nothing: writer.writeNull()
        case .text(let text): writer.write(string: text)
        case .url(let url): writer.write(string: url.absoluteString)
        case .file: throw HTTPError(.encoding(name), reason: "a file can only be sent in a multipart form")
        case .flag(let flag): writer.write(bool: flag)
        case .integer(let number): writer.write(integer: number)
        case .number(let number): writer.write(number: number)
        case .members(let members): try write(members: members, of: name, depth: depth + 1)
        case .list(let values):
            try ParameterValue.checkDepth(depth + 1, name)
            writer.beginArray()
            for value in values where value.storage != .absent { try write(value, of: name, depth: depth + 1) }
            writer.endArray()
        case .unwritable(let reason): throw HTTPError(.encoding(name), reason: reason)
        }
    }
}
