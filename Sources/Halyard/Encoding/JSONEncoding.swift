import HalyardHTTP
import HalyardFoundation

/// Writes parameters as one JSON object, into one buffer.
struct JSONEncoding: ~Copyable {
    private var writer = JSONWriter()

    static func encode(_ parameters: Parameters) throws(HTTPError) -> Data {
        try parameters.checkWritable()
        var encoding = JSONEncoding()
        encoding.write(parameters)
        return encoding.writer.data
    }

    private mutating func write(_ members: Parameters) {
        writer.beginObject()
        for item in members.items {
            writer.write(name: item.name)
            write(item.value)
        }
        writer.endObject()
    }

    private mutating func write(_ value: ParameterValue) {
        switch value.storage {
        // Unwritable values were refused above, and files when the encoding was chosen.
        case .omitted, .null, .unwritable, .file: writer.writeNull()
        case .text(let text): writer.write(string: text)
        case .url(let url): writer.write(string: url.absoluteString)
        case .flag(let flag): writer.write(bool: flag)
        case .integer(let number): writer.write(integer: number)
        case .number(let number): writer.write(number: number)
        case .members(let members): write(members)
        case .list(let values):
            writer.beginArray()
            for value in values where value.storage != .omitted { write(value) }
            writer.endArray()
        }
    }
}
