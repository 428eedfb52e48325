import Halyard

extension SchemaPlanner {
    /// The shape of a value that is one of several types.
    mutating func union(
        _ alternatives: [Schema.Alternative], _ discriminator: String?, _ mapping: [String: String], _ path: String,
        _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.Model.Shape {
        var schemas: [Schema] = []
        for alternative in alternatives {
            var schema = try Schema(alternative, document)
            // A name for another type is that one.
            for _ in 0..<100 {
                guard case .reference(let node) = schema.kind else { break }
                schema = try Schema(document.resolved(node), document)
            }
            schemas.append(schema)
        }
        var member = discriminator
        if member == nil { member = try self.discriminator(of: schemas) }
        var variants: [Plan.Variant] = []
        var names: Set<String> = ["init", "none", "other", "self", "some"]
        for index in order(of: schemas, isTagged: member != nil) {
            let (node, schema) = (alternatives[index].node, schemas[index])
            let last = node["$ref"].string?.split(separator: "/").last.map(String.init)
            let title = last ?? node["title"].string
            let typeName = Names.type(title ?? "Variant\(index + 1)")
            let type =
                alternatives[index].bases.isEmpty
                ? try type(of: node, typeName, path, &nested).unwrapped
                : try type(of: schema, typeName, path, &nested)
            var tags = mapping.filter { $0.value == node["$ref"].string || $0.value == last }.map(\.key).sorted()
            if tags.isEmpty, let member {
                tags = try schema.constants(document).filter { $0.name == member }.flatMap(\.values)
            }
            if tags.isEmpty, let last { tags = [last] }
            if let same = variants.firstIndex(where: { $0.type == type }) {
                variants[same].tags += tags
            } else {
                let name = Names.unique(title.map(Names.member) ?? type.caseName, &names)
                variants.append(
                    Plan.Variant(name: name, type: type, tags: tags, known: knownCases(of: index, in: schemas)))
            }
        }
        return .union(variants, discriminator: member)
    }

    /// The names of the known values of an enumeration, if other types can have the same raw values. Empty otherwise.
    private func knownCases(of index: Int, in schemas: [Schema]) -> [String] {
        guard case .enumeration(let raw, let values) = schemas[index].kind else { return [] }
        let isShared = schemas.indices.contains { $0 != index && schemas[$0].rawType == raw }
        return isShared ? cases(of: values).map(\.name) : []
    }

    /// The member that has values of its own in each of the types, so that it tells them apart.
    private func discriminator(of schemas: [Schema]) throws(DocumentError) -> String? {
        guard let first = schemas.first else { return nil }
        names: for (name, _) in try first.constants(document) {
            var seen: Set<String> = []
            for schema in schemas {
                let values = try schema.constants(document).first { $0.name == name }?.values ?? []
                guard !values.isEmpty, seen.isDisjoint(with: values) else { continue names }
                seen.formUnion(values)
            }
            return name
        }
        return nil
    }

    /// The order in which types are tried. One that fits more values would take those of the others.
    private func order(of schemas: [Schema], isTagged: Bool) -> [Int] {
        if isTagged { return Array(schemas.indices) }
        let breadths = schemas.map { schema in
            // A text that is alone takes nothing from others.
            let isAlone = schema.rawType.map { raw in schemas.count { $0.rawType == raw } == 1 } ?? false
            return isAlone ? 0 : schema.breadth
        }
        let counts = schemas.map(\.memberCounts)
        return schemas.indices.sorted { left, right in
            (breadths[left], counts[right].required, counts[right].all, left)
                < (breadths[right], counts[left].required, counts[left].all, right)
        }
    }
}

extension Schema {
    /// How many values of the same kind in JSON the type takes: a text of any form is broader than a date.
    fileprivate var breadth: Int {
        switch kind {
        // A union within takes any value, as its last case.
        case .union: 3
        case .unknown, .dictionary(nil): 4
        case .plain("String"), .dictionary: 2
        case .plain("Data"), .plain("Double"), .plain("Decimal"): 1
        default: 0
        }
    }

    /// The type in JSON of a value that is a text or a whole number.
    fileprivate var rawType: String? {
        switch kind {
        case .enumeration(let raw, _): raw
        case .plain("Bool"): nil
        case .plain("Int"), .plain("Int64"), .plain("Double"), .plain("Decimal"): "Int"
        case .plain: "String"
        default: nil
        }
    }
}

extension Schema {
    /// The members of an object that have one value, or must have one of a few, which tells it from others, as texts.
    fileprivate func constants(_ document: OpenAPIDocument) throws(DocumentError) -> [(name: String, values: [String])]
    {
        guard case .object(let members, _) = kind else { return [] }
        var constants: [(name: String, values: [String])] = []
        for member in members {
            let schema = try document.resolved(member.schema)
            let values = schema["const"].exists ? [schema["const"].json] : schema["enum"].json.array ?? []
            let tags = values.compactMap(\.tagText)
            let isTag = tags.count == 1 || !tags.isEmpty && member.isRequired
            if isTag, tags.count == values.count { constants.append((member.name, tags)) }
        }
        // A single value says most.
        return constants.filter { $0.values.count == 1 } + constants.filter { $0.values.count > 1 }
    }
}

extension JSON {
    /// A value that tells types apart, as a text: a string, an integer or a Boolean.
    fileprivate var tagText: String? { string ?? bool.map(String.init) ?? int.map(String.init) }
}

extension Plan {
    /// Removes types from unions that contain themselves through unions alone: reading one would not end.
    mutating func endUnions() {
        let unions = unionsNearCircles()
        if unions.isEmpty { return }
        func reaches(_ target: String, from start: String) -> Bool {
            var (open, seen): ([String], Set<String>) = ([start], [])
            while let path = open.popLast() {
                if path == target { return true }
                if seen.insert(path).inserted { open += unions[path] ?? [] }
            }
            return false
        }
        var found: [Remark] = []
        models = models.map { model in
            model.mapped { path, model in
                guard unions[path] != nil, case .union(var variants, let discriminator) = model.shape else { return }
                let count = variants.count
                variants.removeAll { if case .model(let inner) = $0.type { reaches(path, from: inner) } else { false } }
                if variants.count == count { return }
                model.shape = .union(variants, discriminator: discriminator)
                found.append(Remark(pointer: model.pointer, text: "a type that is the union itself is left out"))
            }
        }
        remarks += found
    }

    /// The unions that lead to others, without those that lead to none that could lead back.
    private func unionsNearCircles() -> [String: [String]] {
        var unions = Dictionary(models.flatMap(\.all).map { ($0.path, $0.model.direct) }) { first, _ in first }
        var users: [String: [String]] = [:]
        for (path, direct) in unions { for inner in direct { users[inner, default: []].append(path) } }
        var ended = unions.filter { $0.value.isEmpty }.map(\.key)
        while let path = ended.popLast() {
            unions[path] = nil
            for user in users[path] ?? [] {
                unions[user]?.removeAll { $0 == path }
                if unions[user]?.isEmpty == true { ended.append(user) }
            }
        }
        return unions
    }
}

extension Plan.Model {
    /// The models that a union can be, or nothing for another model.
    fileprivate var direct: [String] {
        guard case .union(let variants, _) = shape else { return [] }
        return variants.compactMap { if case .model(let path) = $0.type { path } else { nil } }
    }
}
