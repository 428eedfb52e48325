import Halyard

/// Decides which type of Swift each schema becomes, and collects the models.
struct SchemaPlanner {
    let document: OpenAPIDocument
    let changes: Changes
    private var models: [Plan.Model] = []
    /// The number of types so far, and how many there may be.
    private var count = 0
    private static let limit = 50_000
    /// The models of references, in the order in which they were first needed.
    private var pending: [(schema: Schema, name: String)] = []
    /// The names for other types that are being resolved.
    private var resolving: Set<String> = []
    /// The names within models.
    private var nestedNames: Set<String> = []
    /// The paths of the models that are enumerations, and of those that are objects.
    private var (enumerations, objects): (Set<String>, Set<String>) = ([], [])
    private(set) var remarks: [Plan.Remark] = []

    /// The names of the document's own schemas, by their pointers.
    private var names: [String: String] = [:]
    /// The names of groups of operations, by the names of their tags.
    private var groupNames: [String: String] = [:]
    private var groups: Set<String> = []
    /// The types of those schemas that have been planned.
    private var types: [String: Plan.TypeName] = [:]
    /// The types of schemas that belong to operations and have no name, by their pointers.
    private var inlineTypes: [String: Plan.TypeName] = [:]
    private var used = Names.ofOtherTypes

    init(_ document: OpenAPIDocument, _ changes: Changes, provider: String) throws(DocumentError) {
        (self.document, self.changes) = (document, changes)
        guard used.insert(provider).inserted, Names.escaped(provider) == provider else {
            throw DocumentError("", "the provider cannot be named \(provider). Choose another name")
        }
        for type in changes.types.values {
            used.formUnion(type.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        }
        let schemas = document.root["components"]["schemas"].members
        for (_, node) in schemas {
            guard let name = changes.names[node.pointer] else { continue }
            guard used.insert(name).inserted else {
                throw DocumentError(node.pointer, "another type has the name \(name)")
            }
            names[node.pointer] = name
        }
        for (name, node) in schemas where names[node.pointer] == nil {
            names[node.pointer] = Names.unique(Names.model(name), &used)
        }
    }

    /// Plans every schema of the document, needed or not.
    mutating func planAll() throws(DocumentError) {
        for (name, node) in document.root["components"]["schemas"].members {
            _ = try type(ofReference: node, name)
        }
    }

    /// Plans the models that are needed, and those that they need. A queue, so that no chain of references is too long.
    mutating func finish() throws(DocumentError) -> [Plan.Model] {
        var next = 0
        while next < pending.count {
            let (schema, name) = pending[next]
            models.append(try model(schema, name, name))
            next += 1
        }
        return models
    }

    /// The type of a schema that belongs to an operation. A model that it needs gets the name, at the top level.
    mutating func type(of schema: Node, named name: String) throws(DocumentError) -> Plan.TypeName {
        if let type = inlineTypes[schema.pointer] { return type }
        var nested: [Plan.Model] = []
        let type = try type(of: schema, schema.componentName.map(Names.model) ?? name, "", &nested)
        models += nested
        inlineTypes[schema.pointer] = type
        return type
    }

    /// The type of a schema. A model that is written in its place is added to `nested`, and named in the scope `path`.
    mutating func type(
        of schema: Node, _ name: String, _ path: String, _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.TypeName {
        if let type = changes.types[schema.pointer] { return .plain(type) }
        if schema["$ref"].exists {
            let type = try type(ofReference: schema, name)
            return schema["nullable"].bool ? .optional(type.unwrapped) : type
        }
        let shape = try Schema(schema, document)
        let type = try type(of: shape, name, path, &nested)
        return shape.isNullable ? .optional(type.unwrapped) : type
    }

    private mutating func type(ofReference reference: Node, _ name: String) throws(DocumentError) -> Plan.TypeName {
        let node = try document.resolved(reference)
        if let type = types[node.pointer] ?? changes.types[node.pointer].map({ .plain($0) }) { return type }
        let shape = try Schema(node, document)
        var type: Plan.TypeName
        if shape.isModel {
            let name = names[node.pointer] ?? topName(Names.model(name))
            note(shape.kind, name)
            pending.append((shape, name))
            type = .model(name)
        } else {
            // A name for another type: it is resolved at once, and within itself it is any JSON.
            guard resolving.count < 100, resolving.insert(node.pointer).inserted else {
                remark(node, "it refers to itself through no object. It is any JSON there")
                return .plain("JSON")
            }
            defer { resolving.remove(node.pointer) }
            type = try self.type(of: shape, names[node.pointer] ?? Names.type(name))
        }
        if shape.isNullable { type = .optional(type.unwrapped) }
        types[node.pointer] = type
        return type
    }

    private mutating func type(of shape: Schema, _ name: String) throws(DocumentError) -> Plan.TypeName {
        var nested: [Plan.Model] = []
        let type = try type(of: shape, name, "", &nested)
        models += nested
        return type
    }

    /// The type of a schema that is read already.
    mutating func type(
        of schema: Schema, _ name: String, _ path: String, _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.TypeName {
        switch schema.kind {
        case .reference(let node): return try type(ofReference: node, name)
        case .array(let items):
            guard let items else { return .array(.plain("JSON")) }
            return .array(try type(of: items, name.singular, path, &nested))
        case .dictionary(let values):
            guard let values else { return .plain("JSON") }
            return .dictionary(try type(of: values, name.singular, path, &nested))
        case .plain(let type): return .plain(type)
        case .unknown(let reason):
            if let reason { remark(schema.node, reason) }
            return .plain("JSON")
        case .enumeration, .object, .union:
            let unique = unusedName(name, in: path, beside: nested)
            let full = path.isEmpty ? unique : "\(path).\(unique)"
            nested.append(try model(schema, unique, full))
            return .model(full)
        }
    }

    private mutating func model(_ schema: Schema, _ name: String, _ path: String) throws(DocumentError) -> Plan.Model {
        var model = Plan.Model(
            name: name, summary: schema.node.summary(beside: name), shape: .object([], others: nil),
            pointer: schema.node.pointer)
        for text in schema.unread { remark(schema.node, text) }
        // Types that have the members of others can be exponentially many.
        count += 1
        guard count <= Self.limit else {
            throw DocumentError(schema.node.pointer, "the document has more than \(Self.limit) types")
        }
        note(schema.kind, path)
        switch schema.kind {
        case .enumeration(let raw, let values):
            model.shape = .enumeration(raw: raw, cases: cases(of: values))
        case .object(let members, let others):
            model.shape = try object(members, others, path, &model.nested)
        case .union(let variants, let discriminator, let mapping):
            model.shape = try union(variants, discriminator, mapping, path, &model.nested)
        default: break
        }
        return model
    }

    func cases(of values: [JSON]) -> [Plan.Case] {
        var used: Set<String> = ["Protocol", "Type", "description", "hashValue", "init", "rawValue", "self"]
        return values.map { Plan.Case(name: Names.unique($0.caseName, &used), literal: $0.literal) }
    }

    private mutating func note(_ kind: Schema.Kind, _ path: String) {
        switch kind {
        case .enumeration: enumerations.insert(path)
        case .object: objects.insert(path)
        default: break
        }
    }

    func isEnumeration(_ path: String) -> Bool { enumerations.contains(path) }
    func isObject(_ path: String) -> Bool { objects.contains(path) }

    mutating func remark(_ node: Node, _ text: String) {
        remarks.append(Plan.Remark(pointer: node.pointer, text: text))
    }

    /// A name of the top level, which is no name within a model either: it would mean that one there.
    private mutating func topName(_ name: String) -> String {
        let unique = Names.unused(name) {
            used.contains($0) || nestedNames.contains($0) || groups.contains($0)
        }
        used.insert(unique)
        return unique
    }

    /// A name that no model beside it has. Within a model, it is no name of the top level either, which it would hide.
    private mutating func unusedName(_ name: String, in path: String, beside nested: [Plan.Model]) -> String {
        if path.isEmpty { return topName(name) }
        let parent = path.split(separator: ".").last ?? ""
        let unique = Names.unused(used.contains(name) ? parent + name : name) { name in
            used.contains(name) || nested.contains { $0.name == name }
        }
        nestedNames.insert(unique)
        return unique
    }

    /// The name of a group of operations, which hides no model. Two tags that have the same name are one group.
    mutating func groupName(_ tag: String) -> String {
        let name = Names.type(tag)
        if let known = groupNames[name] { return known }
        let unique =
            used.contains(name) ? Names.unused(name + "Routes") { used.contains($0) || groups.contains($0) } : name
        groupNames[name] = unique
        groups.insert(unique)
        return unique
    }

    private mutating func object(
        _ members: [ObjectMembers.Member], _ others: Node?, _ path: String, _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.Model.Shape {
        var names: Set<String> = ["asParameters", "encode", "hash", "hashValue", "init", "self", "write"]
        if others != nil { names.formUnion(["additionalProperties", "memberNames"]) }
        var properties: [Plan.Property] = []
        for member in members where !changes.skip.contains(member.schema.pointer) {
            let type = try type(of: member.schema, Names.type(member.name), path, &nested)
            // A response does not have what is only written, such as a password.
            let isRequired = member.isRequired && !member.isWriteOnly
            properties.append(
                Plan.Property(
                    name: Names.unique(changes.names[member.schema.pointer] ?? Names.member(member.name), &names),
                    key: member.name,
                    type: isRequired ? type : .optional(type.unwrapped),
                    summary: member.schema.summary(beside: member.name), isRequired: isRequired,
                    isReadOnly: member.isReadOnly, isNullable: type != type.unwrapped))
        }
        return .object(
            properties,
            others: try others.map { node throws(DocumentError) in
                node.json.bool == true ? .plain("JSON") : try type(of: node, "AdditionalProperty", path, &nested)
            })
    }
}

extension Plan.TypeName {
    var unwrapped: Plan.TypeName { if case .optional(let type) = self { type.unwrapped } else { self } }

    /// The name of a case of a union that has this type.
    var caseName: String {
        switch self {
        case .plain(let name): Names.member(name)
        case .model(let path): Names.member(path.split(separator: ".").last.map(String.init) ?? path)
        case .array(let element): element.caseName + "List"
        case .dictionary(let value): value.caseName + "ByName"
        case .optional(let type): type.caseName
        }
    }
}

extension Node {
    /// The name of the response, parameter or body to which a schema belongs, if operations share it.
    fileprivate var componentName: String? {
        let parts = pointer.split(separator: "/", maxSplits: 3)
        guard parts.count == 4, parts[0] == "components", parts[1] != "schemas" else { return nil }
        // A schema within another is named after both.
        let last = parts[3].split(separator: "/").last ?? ""
        let name = last == "schema" ? String(parts[2]) : "\(parts[2]) \(last)"
        return name.replacing("~1", with: "/").replacing("~0", with: "~")
    }
}

extension String {
    /// The name of an element of a list with this name: `Tags` is `Tag`.
    fileprivate var singular: String {
        if hasSuffix("ies"), count > 4 { return dropLast(3) + "y" }
        if hasSuffix("ses") || hasSuffix("xes") { return String(dropLast(2)) }
        if hasSuffix("s"), !hasSuffix("ss"), count > 2 { return String(dropLast()) }
        return self + "Item"
    }
}

extension JSON {
    /// The value of an enumeration as a literal of Swift.
    fileprivate var literal: String { string?.literal ?? int.map(String.init) ?? "\(self)" }

    /// The name of the value in an enumeration. `none` would be an optional that is missing.
    fileprivate var caseName: String {
        if let string {
            let name = Names.member(string)
            return name == "none" ? "noneValue" : name
        }
        return int.map { $0 < 0 ? "minus\($0.magnitude)" : "n\($0)" } ?? "value"
    }
}
