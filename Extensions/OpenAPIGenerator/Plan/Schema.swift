import Halyard

/// What a schema says, in one of a few kinds, whatever the spelling.
struct Schema {
    struct Member {
        var name: String
        var schema: Node
        var isRequired: Bool
    }

    enum Kind {
        case reference(Node)
        case plain(String)
        case array(Node?)
        /// An object without members of its own.
        case dictionary(Node?)
        case enumeration(raw: String, [JSON])
        case object([Member], others: Node?)
        case union([Node], discriminator: String?, mapping: [String: String])
        /// Any JSON, with the reason if the document says more than that.
        case unknown(String?)
    }

    let node: Node
    var kind: Kind = .unknown(nil)
    var isNullable = false
    /// What the document says beyond the kind.
    var remark: String?

    var summary: String? { node["description"].string ?? node["title"].string }

    /// The number of members that an object must have.
    var requiredCount: Int {
        if case .object(let members, _) = kind { members.count(where: \.isRequired) } else { 0 }
    }

    /// Whether the schema becomes a type with a name.
    var isModel: Bool {
        switch kind {
        case .enumeration, .object, .union: true
        default: false
        }
    }

    init(_ node: Node, _ document: OpenAPIDocument) throws(DocumentError) {
        self.node = node
        let spelled = node["type"].string.map { [$0] } ?? node["type"].strings
        isNullable = node["nullable"].bool || spelled.contains("null")
        let types = spelled.filter { $0 != "null" }
        if let all = node["allOf"].json.array, !all.isEmpty {
            try readAll(node["allOf"].elements, document)
            return
        }
        for word in ["oneOf", "anyOf"] where node[word].exists {
            try readUnion(node[word].elements, document)
            return
        }
        if node["enum"].exists || node["const"].exists {
            readEnumeration()
            return
        }
        switch types.count {
        case 0: try readObject(document, isObject: node["properties"].exists || node["additionalProperties"].exists)
        case 1: try read(types[0], document)
        default:
            let variants = types.map { type in
                var json = node.json
                json["type"] = JSON(type)
                return Node(json: json, pointer: node.pointer)
            }
            kind = .union(variants, discriminator: nil, mapping: [:])
        }
    }

    private mutating func read(_ type: String, _ document: OpenAPIDocument) throws(DocumentError) {
        let format = node["format"].string
        switch type {
        case "string":
            kind =
                switch format {
                case "date-time": .plain("Date")
                case "uuid": .plain("UUID")
                case "uri", "url": .plain("URL")
                case "byte", "binary": .plain("Data")
                // OpenAPI 3.1 says it with the words of JSON Schema.
                case nil where node["contentEncoding"].string == "base64": .plain("Data")
                case nil where node["contentMediaType"].string == "application/octet-stream": .plain("Data")
                default: .plain("String")
                }
        case "integer": kind = .plain(format == "int64" ? "Int64" : "Int")
        case "number": kind = .plain(format == "decimal" ? "Decimal" : "Double")
        case "boolean": kind = .plain("Bool")
        case "array": kind = .array(node["items"].exists ? node["items"] : nil)
        case "object": try readObject(document, isObject: true)
        default: kind = .unknown("the type \"\(type)\" is not known. It is any JSON")
        }
    }

    private mutating func readObject(_ document: OpenAPIDocument, isObject: Bool) throws(DocumentError) {
        guard isObject else { return }
        let others = node["additionalProperties"]
        let members = try self.members(of: node, document)
        let isTyped = others.json.object != nil
        if node["discriminator"].exists {
            remark = "its discriminator names other schemas. It is read as this type alone"
        }
        if members.isEmpty { return kind = .dictionary(isTyped ? others : nil) }
        kind = .object(members, others: isTyped || others.json.bool == true ? others : nil)
    }

    /// The members of an object and of all that it includes with `allOf`. A later one replaces an earlier one.
    private func members(of node: Node, _ document: OpenAPIDocument) throws(DocumentError) -> [Member] {
        var (members, required, open, seen): ([Member], Set<String>, Set<String>, Set<String>) = ([], [], [], [])
        try add(node, document, to: &members, &required, within: &open, &seen)
        for index in members.indices { members[index].isRequired = required.contains(members[index].name) }
        return members
    }

    /// Adds the members of an object once, however often it is included.
    private func add(
        _ node: Node, _ document: OpenAPIDocument, to members: inout [Member], _ required: inout Set<String>,
        within open: inout Set<String>, _ seen: inout Set<String>
    ) throws(DocumentError) {
        let node = try document.resolved(node)
        guard !open.contains(node.pointer) else { throw DocumentError(node.pointer, "it includes itself with allOf") }
        guard open.count < OpenAPIDocument.depthLimit else {
            throw DocumentError(node.pointer, "more than \(OpenAPIDocument.depthLimit) objects include each other")
        }
        guard seen.insert(node.pointer).inserted else { return }
        open.insert(node.pointer)
        for part in node["allOf"].elements { try add(part, document, to: &members, &required, within: &open, &seen) }
        open.remove(node.pointer)
        required.formUnion(node["required"].strings)
        for (name, schema) in node["properties"].members {
            members.replace(Member(name: name, schema: schema, isRequired: false))
        }
    }

    private mutating func readAll(_ parts: [Node], _ document: OpenAPIDocument) throws(DocumentError) {
        var full: [Node] = []
        for part in parts {
            let resolved = try document.resolved(part)
            if resolved.saysMore { full.append(part) }
            if full.count > 1, resolved["oneOf"].exists || resolved["anyOf"].exists {
                remark = "alternatives (oneOf, anyOf) within allOf are left out"
            }
        }
        if full.count == 1, !node["properties"].exists {
            if full[0]["$ref"].exists { return kind = .reference(full[0]) }
            let only = try Schema(full[0], document)
            isNullable = isNullable || only.isNullable
            return kind = only.kind
        }
        let members = try self.members(of: node, document)
        kind =
            members.isEmpty
            ? .unknown("allOf of values that are no objects is not known. It is any JSON")
            : .object(members, others: nil)
    }

    private mutating func readUnion(_ parts: [Node], _ document: OpenAPIDocument) throws(DocumentError) {
        let variants = parts.filter { $0["type"].string != "null" }
        isNullable = isNullable || variants.count < parts.count
        // An alternative that only says which members are required adds no type.
        var (full, seen): ([Node], Set<String>) = ([], [])
        var allText = true
        for variant in variants {
            let resolved = try document.resolved(variant)
            guard resolved.saysMore, seen.insert(resolved.pointer).inserted else { continue }
            full.append(variant)
            allText = allText && resolved["type"].string == "string" && resolved["format"].string == nil
        }
        // Text, with a list of known values beside it.
        if allText, full.count > 1, full.contains(where: { !$0["enum"].exists && !$0["$ref"].exists }) {
            return kind = .plain("String")
        }
        if !full.isEmpty, node["properties"].exists {
            remark = "its alternatives (oneOf, anyOf) are left out. It has its own members"
        }
        if full.isEmpty || node["properties"].exists {
            return try readObject(document, isObject: node["properties"].exists || node["type"].string == "object")
        }
        if full.count == 1 {
            if full[0]["$ref"].exists { return kind = .reference(full[0]) }
            let only = try Schema(full[0], document)
            isNullable = isNullable || only.isNullable
            return kind = only.kind
        }
        let discriminator = node["discriminator"]
        let mapping = discriminator["mapping"].members.map { ($0.name, $0.node.string ?? "") }
        kind = .union(
            full, discriminator: discriminator["propertyName"].string,
            mapping: Dictionary(mapping) { first, _ in first })
    }

    private mutating func readEnumeration() {
        let values = node["enum"].json.array ?? [node["const"].json]
        isNullable = isNullable || values.contains(.null)
        let known = values.filter { !$0.isNull }
        if known.isEmpty { return }
        if known.allSatisfy({ $0.string != nil }) {
            kind = .enumeration(raw: "String", known)
        } else if known.allSatisfy({ $0.int != nil }) {
            kind = .enumeration(raw: "Int", known)
        } else if known.allSatisfy({ $0.bool != nil }) {
            kind = .plain("Bool")
        } else if known.allSatisfy({ $0.double != nil }) {
            kind = .plain("Double")
        } else {
            kind = .unknown("an enumeration of several types is any JSON")
        }
    }

    /// The members of an object that can have one text only, which tells it from others.
    func constants(_ document: OpenAPIDocument) throws(DocumentError) -> [(name: String, value: String)] {
        guard case .object(let members, _) = kind else { return [] }
        var constants: [(name: String, value: String)] = []
        for member in members {
            let schema = try document.resolved(member.schema)
            let values = schema["const"].string.map { [$0] } ?? schema["enum"].strings
            if values.count == 1 { constants.append((member.name, values[0])) }
        }
        return constants
    }
}

extension Node {
    /// Whether a schema says more than texts and which members are required.
    fileprivate var saysMore: Bool {
        let silent: Set<String> = [
            "description", "title", "required", "nullable", "example", "examples", "deprecated", "not", "default",
            "readOnly",
            "writeOnly", "externalDocs", "xml",
        ]
        return members.contains { !silent.contains($0.name) && !$0.name.hasPrefix("x-") }
    }
}

extension [Schema.Member] {
    fileprivate mutating func replace(_ member: Schema.Member) {
        guard let index = firstIndex(where: { $0.name == member.name }) else { return append(member) }
        // A later one that only describes the member leaves its type.
        if member.schema.saysMore { self[index].schema = member.schema }
        self[index].isRequired = self[index].isRequired || member.isRequired
    }
}
