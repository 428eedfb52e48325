import Halyard

/// What a schema says, in one of a few kinds, whatever the spelling.
struct Schema {
    /// One of the types of a union.
    struct Alternative {
        var node: Node
        /// The objects whose members it has beside its own.
        var bases: [Node] = []
    }

    enum Kind {
        case reference(Node)
        case plain(String)
        case array(Node?)
        /// An object without members of its own.
        case dictionary(Node?)
        case enumeration(raw: String, [JSON])
        case object([ObjectMembers.Member], others: Node?)
        case union([Alternative], discriminator: String?, mapping: [String: String])
        /// Any JSON, with the reason if the document says more than that.
        case unknown(String?)
    }

    let node: Node
    var kind: Kind = .unknown(nil)
    var isNullable = false
    /// What the document says beyond the kind.
    private(set) var unread: [String] = []

    /// The numbers of members that an object must have, and of all that it can have.
    var memberCounts: (required: Int, all: Int) {
        guard case .object(let members, _) = kind else { return (0, 0) }
        return (members.count(where: \.isRequired), members.count)
    }

    /// Whether the schema becomes a type with a name.
    var isModel: Bool {
        switch kind {
        case .enumeration, .object, .union: true
        default: false
        }
    }

    /// An alternative of a union, with the members of its bases.
    init(_ alternative: Alternative, _ document: OpenAPIDocument) throws(DocumentError) {
        try self.init(document.resolved(alternative.node), document)
        if alternative.bases.isEmpty { return }
        kind = .object(try ObjectMembers(of: alternative.bases + [node], document))
    }

    init(_ node: Node, _ document: OpenAPIDocument) throws(DocumentError) {
        self.node = node
        let spelled = node["type"].words
        isNullable = node["nullable"].bool || spelled.contains("null")
        let types = spelled.filter { $0 != "null" }
        if let all = node["allOf"].json.array, !all.isEmpty {
            try readAll(node["allOf"].elements, document)
            return
        }
        for word in ["oneOf", "anyOf"] where node[word].exists {
            try readUnion(word, document)
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
                return Alternative(node: Node(json: json, pointer: node.pointer))
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
                case "date": .plain("CalendarDate")
                case "date-time": .plain("Date")
                case "uuid": .plain("UUID")
                case "uri", "url": .plain("URL")
                case "byte", "binary": .plain("Data")
                // OpenAPI 3.1 says it with the words of JSON Schema.
                case nil where node["contentEncoding"].string == "base64": .plain("Data")
                case nil where node["contentMediaType"].string?.isBytes == true: .plain("Data")
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
        kind = .object(try ObjectMembers(of: [node], document))
        if node["discriminator"].exists { try readSubtypes(document) }
    }

    /// Makes an object whose discriminator names others one of those, which include it or have its members as well.
    private mutating func readSubtypes(_ document: OpenAPIDocument) throws(DocumentError) {
        var (alternatives, seen): ([Alternative], Set<String>) = ([], [])
        for (_, name) in node["discriminator"]["mapping"].members {
            guard let text = name.string else { continue }
            let reference = text.contains("/") ? text : "#/components/schemas/\(text)"
            let subtype = Node(json: ["$ref": .string(reference)], pointer: name.pointer)
            guard let resolved = try? document.resolved(subtype) else {
                unread.append("its discriminator maps to \(text), which is not there")
                continue
            }
            guard seen.insert(resolved.pointer).inserted else { continue }
            let parts = try ObjectMembers(of: [resolved], document)
            // The object itself, and a name for it, need a type of their own.
            let isOwn = parts.seen.contains(node.pointer) && parts.members.count == memberCounts.all
            let includesAll = parts.seen.contains(node.pointer) && !isOwn
            note(resolved, isOwn: includesAll || isOwn)
            alternatives.append(Alternative(node: subtype, bases: includesAll ? [] : [node]))
        }
        if alternatives.isEmpty {
            unread.append("its discriminator names no other schemas. It is read as this type alone")
        } else {
            setUnion(alternatives, of: node)
        }
    }

    private mutating func readAll(_ parts: [Node], _ document: OpenAPIDocument) throws(DocumentError) {
        var (full, alternatives): ([Node], [Node]) = ([], [])
        for part in parts {
            let resolved = try document.resolved(part)
            if resolved.saysMore { full.append(part) }
            if resolved["oneOf"].exists || resolved["anyOf"].exists { alternatives.append(part) }
        }
        let hasOwn = ["additionalProperties", "anyOf", "oneOf", "properties"].contains { node[$0].exists }
        if full.count == 1, !hasOwn { return try take(full[0], document) }
        kind = .object(try ObjectMembers(of: [node], document))
        if case .object = kind {
            let own = node["oneOf"].exists || node["anyOf"].exists ? [node] : []
            for part in alternatives + own {
                let part = try document.resolved(part)
                try add(part["oneOf"].exists ? part["oneOf"] : part["anyOf"], of: part, document)
            }
        } else if alternatives.count == 1 {
            try take(alternatives[0], document)
        } else if case .unknown = kind {
            kind = .unknown("allOf of values that are no objects is not known. It is any JSON")
        }
    }

    /// Notes that an alternative with the members of another object loses its own alternatives.
    private mutating func note(_ alternative: Node, isOwn: Bool) {
        guard !isOwn, ["anyOf", "oneOf"].contains(where: { alternative[$0].exists }) else { return }
        unread.append("a type of it is one of several itself, which are left out (\(alternative.pointer))")
    }

    /// Is what another schema is.
    private mutating func take(_ other: Node, _ document: OpenAPIDocument) throws(DocumentError) {
        if other["$ref"].exists { return kind = .reference(other) }
        let only = try Schema(other, document)
        isNullable = isNullable || only.isNullable
        kind = only.kind
    }

    private mutating func readUnion(_ word: String, _ document: OpenAPIDocument) throws(DocumentError) {
        let parts = node[word].elements
        let variants = parts.filter { $0["type"].string != "null" }
        isNullable = isNullable || variants.count < parts.count
        if node["properties"].json.object?.isEmpty == false {
            kind = .object(try ObjectMembers(of: [node], document))
            return try add(node[word], of: node, document)
        }
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
        if full.isEmpty { return try readObject(document, isObject: node["type"].string == "object") }
        if full.count == 1 { return try take(full[0], document) }
        setUnion(full.map { Alternative(node: $0) }, of: node)
    }

    /// Makes an object one of several types, which have its members and those of an alternative. It stays as it is if no
    /// alternative adds any.
    private mutating func add(
        _ list: Node, of part: Node, _ document: OpenAPIDocument
    ) throws(DocumentError) {
        guard case .object(let members, _) = kind else {
            return unread.append(
                "several alternatives (oneOf, anyOf) within allOf are not known. Only the first is read")
        }
        let own = Set(members.map(\.name))
        var (alternatives, addsMembers): ([Alternative], Bool) = ([], false)
        for variant in list.elements where variant["type"].string != "null" {
            let resolved = try document.resolved(variant)
            // One of them is this schema: it includes what all of them have in common.
            if resolved.pointer == node.pointer { return }
            let parts = try ObjectMembers(of: [resolved], document)
            if parts.members.isEmpty, resolved["type"].exists, !parts.isObject {
                return unread.append("its alternatives (oneOf, anyOf) are left out. It has its own members")
            }
            let includesAll = parts.seen.contains(node.pointer)
            note(resolved, isOwn: includesAll)
            addsMembers = addsMembers || includesAll || !own.isSuperset(of: parts.members.map(\.name))
            alternatives.append(Alternative(node: variant, bases: includesAll ? [] : [node]))
        }
        if addsMembers { setUnion(alternatives, of: part) }
    }

    private mutating func setUnion(_ alternatives: [Alternative], of node: Node) {
        let discriminator = node["discriminator"]
        let mapping = discriminator["mapping"].members.map { ($0.name, $0.node.string ?? "") }
        kind = .union(
            alternatives, discriminator: discriminator["propertyName"].string,
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
}

extension Node {
    /// The text that describes a schema: its description, or a title that says more than its name does.
    func summary(beside name: String) -> String? {
        let title = self["title"].string.flatMap { Names.type($0) == Names.type(name) ? nil : $0 }
        let texts = [self["description"].string ?? title, self["deprecated"].bool ? "Deprecated." : nil]
        let found = texts.compactMap(\.self)
        return found.isEmpty ? nil : found.joined(separator: "\n\n")
    }
}

extension String {
    /// Whether a media type is that of bytes, and of no text.
    fileprivate var isBytes: Bool {
        !mediaType.hasPrefix("text/") && !["json", "xml", "yaml"].contains(where: mediaType.hasSuffix)
    }
}

extension Schema.Kind {
    /// An object, or a dictionary if no member is known.
    fileprivate static func object(_ object: ObjectMembers) -> Self {
        if !object.members.isEmpty { return .object(object.members, others: object.others) }
        guard let others = object.others, others.json.object != nil else {
            return object.isObject ? .dictionary(nil) : .unknown(nil)
        }
        return .dictionary(others)
    }
}
