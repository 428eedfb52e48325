import Halyard

extension SchemaPlanner {
    /// The shape of a value that is one of several types.
    mutating func union(
        _ nodes: [Node], _ discriminator: String?, _ mapping: [String: String], _ path: String,
        _ nested: inout [Plan.Model]
    ) throws(DocumentError) -> Plan.Model.Shape {
        var schemas: [Schema] = []
        for node in nodes { schemas.append(try Schema(document.resolved(node), document)) }
        var member = discriminator
        if member == nil { member = try self.discriminator(of: schemas) }
        var variants: [Plan.Variant] = []
        var names: Set<String> = ["init", "none", "other", "self", "some"]
        for index in order(of: schemas, isTagged: member != nil) {
            let (node, schema) = (nodes[index], schemas[index])
            let last = node["$ref"].string?.split(separator: "/").last.map(String.init)
            let title = last ?? node["title"].string
            let type = try type(of: node, Names.type(title ?? "Variant\(index + 1)"), path, &nested).unwrapped
            var tags = mapping.filter { $0.value == node["$ref"].string || $0.value == last }.map(\.key).sorted()
            if tags.isEmpty, let member {
                tags = try schema.constants(document).filter { $0.name == member }.map(\.value)
            }
            if tags.isEmpty, let last { tags = [last] }
            if let same = variants.firstIndex(where: { $0.type == type }) {
                variants[same].tags += tags
            } else {
                let name = Names.unique(title.map(Names.member) ?? type.caseName, &names)
                variants.append(Plan.Variant(name: name, type: type, tags: tags))
            }
        }
        return .union(variants, discriminator: member)
    }

    /// The member that has one text of its own in each of the types, so that it tells them apart.
    private func discriminator(of schemas: [Schema]) throws(DocumentError) -> String? {
        guard let first = schemas.first else { return nil }
        for (name, _) in try first.constants(document) {
            var values: Set<String> = []
            for schema in schemas {
                for constant in try schema.constants(document) where constant.name == name {
                    values.insert(constant.value)
                }
            }
            if values.count == schemas.count { return name }
        }
        return nil
    }

    /// The order in which types are tried. One that requires fewer members would take the values of the others.
    private func order(of schemas: [Schema], isTagged: Bool) -> [Int] {
        if isTagged { return Array(schemas.indices) }
        return schemas.indices.sorted { left, right in
            let (more, less) = (schemas[left].requiredCount, schemas[right].requiredCount)
            return more > less || more == less && left < right
        }
    }
}

extension Plan {
    /// Removes types from unions that contain themselves through unions alone: reading one would not end.
    mutating func endUnions() {
        let unions = Dictionary(models.flatMap(\.all).map { ($0.path, $0.model.direct) }) { first, _ in first }
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
                guard case .union(var variants, let discriminator) = model.shape else { return }
                let count = variants.count
                variants.removeAll { if case .model(let inner) = $0.type { reaches(path, from: inner) } else { false } }
                if variants.count == count { return }
                model.shape = .union(variants, discriminator: discriminator)
                found.append(Remark(pointer: model.pointer, text: "a type that is the union itself is left out"))
            }
        }
        remarks += found
    }
}

extension Plan.Model {
    /// The models that a union can be, or nothing for another model.
    fileprivate var direct: [String] {
        guard case .union(let variants, _) = shape else { return [] }
        return variants.compactMap { if case .model(let path) = $0.type { path } else { nil } }
    }
}
