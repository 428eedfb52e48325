extension Plan {
    /// Makes `readOnly` members optional in the models of requests, because only the server sets them.
    mutating func loosenReadOnlyMembers() {
        let known = Dictionary(models.flatMap(\.all).map { ($0.path, $0.model) }) { first, _ in first }
        var open = groups.flatMap(\.operations).flatMap { $0.body?.types ?? [] }.compactMap(\.modelPath)
        var sent: Set<String> = []
        while let path = open.popLast() {
            guard sent.insert(path).inserted, let model = known[path] else { continue }
            switch model.shape {
            case .object(let properties, let others):
                open += (properties.map(\.type) + [others].compactMap(\.self)).compactMap(\.modelPath)
            case .union(let variants, _): open += variants.map(\.type).compactMap(\.modelPath)
            case .enumeration: break
            }
        }
        models = models.map { model in
            model.mapped { path, model in
                guard sent.contains(path), case .object(var properties, let others) = model.shape else { return }
                for index in properties.indices where properties[index].isReadOnly && properties[index].isRequired {
                    properties[index].isRequired = false
                    properties[index].type = .optional(properties[index].type.unwrapped)
                }
                model.shape = .object(properties, others: others)
            }
        }
    }
}

extension Plan.Body {
    /// The types of what is sent.
    fileprivate var types: [Plan.TypeName] {
        switch kind {
        case .json(let type, _), .form(let type, _): [type]
        case .parts(let parts): parts.map(\.type)
        case .text, .bytes, .multipart: []
        }
    }
}

extension Plan.TypeName {
    /// The model that a value of the type is or has.
    fileprivate var modelPath: String? {
        switch self {
        case .plain: nil
        case .model(let path): path
        case .array(let type), .dictionary(let type), .optional(let type): type.modelPath
        }
    }
}
