import Halyard

/// The members of objects and of all that they include with `allOf`. A later one replaces an earlier one.
struct ObjectMembers {
    struct Member {
        var name: String
        var schema: Node
        var isRequired = false
        /// Whether only the server sets it, or only the client.
        var isReadOnly = false
        var isWriteOnly = false
    }

    private(set) var members: [Member] = []
    /// The schema of members with other names, if they can be any that is worth to be kept.
    private(set) var others: Node?
    /// The pointers of the objects that were included.
    private(set) var seen: Set<String> = []
    private var places: [String: Int] = [:]
    private var required: Set<String> = []
    /// Whether one of them says that it is an object.
    private(set) var isObject = false
    /// The pointers of the objects that include each other at the moment.
    private var open: Set<String> = []

    init(of nodes: [Node], _ document: OpenAPIDocument) throws(DocumentError) {
        for node in nodes { try add(node, document) }
        for index in members.indices { members[index].isRequired = required.contains(members[index].name) }
    }

    /// Adds the members of an object once, however often it is included.
    private mutating func add(_ reference: Node, _ document: OpenAPIDocument) throws(DocumentError) {
        let node = try document.resolved(reference)
        guard !open.contains(node.pointer) else { throw DocumentError(node.pointer, "it includes itself with allOf") }
        guard open.count < OpenAPIDocument.depthLimit else {
            throw DocumentError(node.pointer, "more than \(OpenAPIDocument.depthLimit) objects include each other")
        }
        guard seen.insert(node.pointer).inserted else { return }
        open.insert(node.pointer)
        for part in node["allOf"].elements { try add(part, document) }
        open.remove(node.pointer)
        required.formUnion(node["required"].strings)
        isObject = isObject || node["properties"].exists || node["type"].words.contains("object")
        let others = node["additionalProperties"]
        if others.json.object != nil || others.json.bool == true && self.others == nil { self.others = others }
        for (name, schema) in node["properties"].members {
            let place = places[name] ?? members.count
            if places.updateValue(place, forKey: name) == nil {
                members.append(Member(name: name, schema: schema))
            } else if schema.saysMore {
                // A later one that only describes the member leaves its type.
                members[place].schema = schema
            }
            for said in [schema, try document.resolved(schema)] {
                members[place].isReadOnly = members[place].isReadOnly || said["readOnly"].bool
                members[place].isWriteOnly = members[place].isWriteOnly || said["writeOnly"].bool
            }
        }
    }
}

extension Node {
    /// Whether a schema says more than texts and which members are required.
    var saysMore: Bool {
        let silent: Set<String> = [
            "description", "title", "required", "nullable", "example", "examples", "deprecated", "not", "default",
            "readOnly",
            "writeOnly", "externalDocs", "xml",
        ]
        return members.contains { !silent.contains($0.name) && !$0.name.hasPrefix("x-") }
    }
}
