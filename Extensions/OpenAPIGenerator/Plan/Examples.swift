import Halyard

extension OpenAPIDocument {
    /// Returns the answer to an operation: the example of its first success, or a value that fits the schema.
    package func example(of operation: Plan.Operation) throws(DocumentError) -> Plan.Example {
        let responses = node(at: operation.pointer)["responses"].members
        let success = responses.filter { $0.name.hasPrefix("2") }.min { $0.name < $1.name }
        guard let (name, reference) = success ?? responses.first(where: { $0.name == "default" }) else {
            return Plan.Example(status: 204)
        }
        let status = Int(name) ?? 200
        let content = try resolved(reference)["content"].members
        guard let (type, node) = content.first(where: { $0.name.contains("json") }) ?? content.first else {
            return Plan.Example(status: status)
        }
        var json = node["example"].json
        if json.isNull, let first = node["examples"].members.first {
            json = try resolved(first.node)["value"].json
        }
        if json.isNull {
            var rest = Self.exampleLimit
            json = try value(of: node["schema"], within: [], &rest) ?? .null
        }
        return Plan.Example(status: status, contentType: type, value: json)
    }

    /// The number of values that an example has at most, because a few schemas can have any number of them.
    private static let exampleLimit = 5000

    /// A value that fits a schema, or `nil` where the schema contains itself, and after the limit.
    private func value(
        of reference: Node, within open: Set<String>, _ rest: inout Int
    ) throws(DocumentError) -> JSON? {
        guard rest > 0 else { return nil }
        rest -= 1
        let schema = try resolved(reference)
        for known in [schema["example"].json, schema["examples"].json[0], schema["default"].json, schema["const"].json]
        where !known.isNull {
            return known
        }
        if let first = schema["enum"].json.array?.first { return first }
        guard !open.contains(schema.pointer), open.count < 32 else { return nil }
        let open = open.union([schema.pointer])
        var members: JSON = [:]
        for part in schema["allOf"].elements {
            guard let value = try value(of: part, within: open, &rest) else { continue }
            guard let object = value.object else { return value }
            for (name, value) in object { members[name] = value }
        }
        for part in schema["oneOf"].elements + schema["anyOf"].elements where part["type"].string != "null" {
            guard let value = try value(of: part, within: open, &rest) else { continue }
            guard let object = value.object else { return value }
            for (name, value) in object { members[name] = value }
            if let name = schema["discriminator"]["propertyName"].string {
                members[name] = .string(schema.tag(of: part["$ref"].string ?? ""))
            }
            break
        }
        let required = Set(schema["required"].strings)
        for (name, property) in schema["properties"].members where members[name].isNull {
            // A deep one has only what it must have.
            if open.count > 4, !required.contains(name) { continue }
            if let value = try value(of: property, within: open, &rest) { members[name] = value }
        }
        if members != [:] { return members }
        switch schema["type"].string ?? schema["type"].strings.first {
        case "object": return [:]
        case "array": return try value(of: schema["items"], within: open, &rest).map { [$0] } ?? []
        case "string": return .string(schema.exampleText)
        case "integer", "number": return schema["minimum"].exists ? schema["minimum"].json : 1
        case "boolean": return true
        default: return ["allOf", "properties", "additionalProperties"].contains { schema[$0].exists } ? [:] : .null
        }
    }
}

extension Node {
    fileprivate var exampleText: String {
        switch self["format"].string {
        case "date-time": "2024-01-31T12:00:00Z"
        case "date": "2024-01-31"
        case "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6"
        case "uri", "url": "https://example.com"
        case "email": "ann@example.com"
        case "byte": "AAEC"
        case "binary": ""
        case "decimal": "1.5"
        default: "text"
        }
    }

    /// The value of the discriminator that means a schema.
    fileprivate func tag(of reference: String) -> String {
        let name = String(reference.split(separator: "/").last ?? "")
        let mapping = self["discriminator"]["mapping"].members
        return mapping.first { [reference, name].contains($0.node.string) }?.name ?? name
    }
}
