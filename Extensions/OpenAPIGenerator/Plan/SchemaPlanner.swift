import Halyard

/// Decides which type of Swift each schema becomes, and collects the models.
struct SchemaPlanner {
    private let document: OpenAPIDocument
    /// The models in the order in which they were first needed.
    private(set) var models: [Plan.Model] = []
    /// The paths of the models that are enumerations.
    private(set) var enumerations: Set<String> = []
    var remarks: [Plan.Remark] = []

    /// The names of the document's own schemas, by their pointers.
    private var names: [String: String] = [:]
    /// The types of those schemas that have been planned.
    private var types: [String: Plan.TypeName] = [:]
    private var used: Set<String> = [
        "APIModel", "Any", "Array", "Authentication", "Bool", "Boxed", "Codable", "Data", "Date", "Decimal", "Decoder",
        "Dictionary", "Double", "Encoder", "Endpoint", "Failures", "Foundation", "HTTPClient", "HTTPMethod",
        "HTTPProvider", "HalyardOpenAPI", "Hashable", "ISO8601Date", "Int", "Int64", "JSON", "LocalizedError",
        "ModelReader", "ModelWriter", "MultipartPart", "ObjectMapper", "OpenEnum", "Optional", "ParameterEncoding",
        "Parameters", "PartConvertible", "Protocol", "Route", "RouteBody", "Self", "Sendable", "Set", "String", "Swift",
        "Type", "URL", "UUID", "Void",
    ]

    init(_ document: OpenAPIDocument, provider: String) {
        self.document = document
        used.insert(provider)
        for (name, node) in document.root["components"]["schemas"].members {
            names[node.pointer] = Names.unique(Names.type(name), &used)
        }
    }

    /// Plans every schema of the document, needed or not.
    mutating func planAll() throws(DocumentError) {
        for (name, node) in document.root["components"]["schemas"].members {
            var nested: [Plan.Model] = []
            _ = try type(
                of: Node(json: ["$ref": JSON("#" + node.pointer)], pointer: node.pointer), Names.type(name), "", &nested
            )
        }
    }

    /// The type of a schema that belongs to an operation. A model that it needs gets the name, at the top level.
    mutating func type(of schema: Node, named name: String) throws(DocumentError) -> Plan.TypeName {
        var nested: [Plan.Model] = []
        let type = try type(of: schema, name, "", &nested)
        models += nested
        return type
    }

    /// The type of a schema. A model that is written in its place is added to `nested`, and named in the scope `path`.
    private mutating func type(
        of schema: Node, _ name: String, _ path: String, _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.TypeName {
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
        if let type = types[node.pointer] { return type }
        let name = names[node.pointer] ?? Names.unique(name, &used)
        let shape = try Schema(node, document)
        // Known before its members are planned, which may refer to it.
        if shape.isModel {
            types[node.pointer] = shape.isNullable ? .optional(.model(name)) : .model(name)
        } else {
            types[node.pointer] = .plain("JSON")
        }
        var nested: [Plan.Model] = []
        let place = models.count
        let type = try type(of: shape, name, "", &nested, isNamed: true)
        models.insert(contentsOf: nested, at: min(place, models.count))
        types[node.pointer] = shape.isNullable ? .optional(type.unwrapped) : type
        return shape.isNullable ? .optional(type.unwrapped) : type
    }

    private mutating func type(
        of schema: Schema, _ name: String, _ path: String, _ nested: inout [Plan.Model], isNamed: Bool = false
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
            if let reason { remarks.append(Plan.Remark(pointer: schema.node.pointer, text: reason)) }
            return .plain("JSON")
        case .enumeration, .object, .union: break
        }
        let unique = isNamed ? name : unusedName(name, in: path, beside: nested)
        let full = path.isEmpty ? unique : "\(path).\(unique)"
        var model = Plan.Model(name: unique, summary: schema.summary, shape: .object([], others: nil))
        switch schema.kind {
        case .enumeration(let raw, let values):
            var cases: Set<String> = ["Protocol", "Type", "description", "hashValue", "init", "rawValue", "self"]
            enumerations.insert(full)
            model.shape = .enumeration(
                raw: raw,
                cases: values.map {
                    Plan.Case(name: Names.unique(Names.member($0.string ?? "n\($0)"), &cases), literal: $0.literal)
                })
        case .object(let members, let others):
            model.shape = try object(members, others, full, &model.nested)
        case .union(let variants, let discriminator, let mapping):
            let union = try self.union(variants, discriminator, mapping, full, &model.nested)
            // Several spellings of one type are that type.
            if case .union(let variants, _) = union, variants.count == 1, !isNamed || !variants[0].type.isModel(full) {
                nested += model.nested
                return variants[0].type
            }
            model.shape = union
        default: break
        }
        nested.append(model)
        return .model(full)
    }

    /// A name that no model beside it has. Within a model, it is no name of the top level either, which it would hide.
    private mutating func unusedName(_ name: String, in path: String, beside nested: [Plan.Model]) -> String {
        if path.isEmpty { return Names.unique(name, &used) }
        var taken = used.union(nested.map(\.name))
        let parent = path.split(separator: ".").last ?? ""
        return Names.unique(taken.contains(name) ? parent + name : name, &taken)
    }

    /// The name of a group of operations, which hides no model.
    func groupName(_ tag: String) -> String {
        let name = Names.type(tag)
        return used.contains(name) ? name + "Routes" : name
    }

    private mutating func object(
        _ members: [Schema.Member], _ others: Node?, _ path: String, _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.Model.Shape {
        var names: Set<String> = ["hashValue", "self", "init", "write", "encode", "hash"]
        var properties: [Plan.Property] = []
        for member in members {
            let type = try type(of: member.schema, Names.type(member.name), path, &nested)
            properties.append(
                Plan.Property(
                    name: Names.unique(Names.member(member.name), &names), key: member.name,
                    type: member.isRequired ? type : .optional(type.unwrapped),
                    summary: try document.summary(of: member.schema), isRequired: member.isRequired))
        }
        return .object(
            properties,
            others: try others.map { node throws(DocumentError) in
                node.json.bool == true ? .plain("JSON") : try type(of: node, "AdditionalProperty", path, &nested)
            })
    }

    private mutating func union(
        _ nodes: [Node], _ discriminator: String?, _ mapping: [String: String], _ path: String,
        _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.Model.Shape {
        var names: Set<String> = ["other", "init", "self"]
        var variants: [Plan.Variant] = []
        // Without a discriminator they are tried in order, and one that needs less would take the values of the others.
        var counts: [(node: Node, index: Int, required: Int)] = []
        for (index, node) in nodes.enumerated() {
            let required = try Schema(document.resolved(node), document).requiredCount
            counts.append((node, index, discriminator == nil ? required : 0))
        }
        counts.sort { $0.required > $1.required || $0.required == $1.required && $0.index < $1.index }
        for (node, index, _) in counts {
            let reference = node["$ref"].string
            let last = reference?.split(separator: "/").last.map(String.init)
            let name = last ?? node["title"].string ?? "Variant\(index + 1)"
            let type = try type(of: node, Names.type(name), path, &nested).unwrapped
            if variants.contains(where: { $0.type == type }) { continue }
            let tags = mapping.filter { $0.value == reference || $0.value == last }.map(\.key).sorted()
            variants.append(
                Plan.Variant(
                    name: Names.unique(
                        last == nil && node["title"].string == nil ? type.caseName : Names.member(name), &names),
                    type: type, tags: tags.isEmpty ? last.map { [$0] } ?? [] : tags))
        }
        return .union(variants, discriminator: discriminator)
    }
}

extension Plan.TypeName {
    var unwrapped: Plan.TypeName { if case .optional(let type) = self { type.unwrapped } else { self } }

    func isModel(_ path: String) -> Bool { self == .model(path) }

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

extension OpenAPIDocument {
    /// The text that describes a schema where it is used.
    func summary(of schema: Node) throws(DocumentError) -> String? {
        schema["description"].string ?? schema["title"].string
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
    /// The value as a literal of Swift.
    fileprivate var literal: String {
        switch self {
        case .string(let text): text.literal
        default: "\(self)"
        }
    }
}
