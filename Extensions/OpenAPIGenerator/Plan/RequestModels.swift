extension Plan {
    /// Makes `readOnly` members optional in the models of requests, because only the server sets them. Remarks on the
    /// members whose null cannot be sent, because `nil` leaves them out.
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
        var unsendable: [(place: String, name: String)] = []
        models = models.map { model in
            model.mapped { path, model in
                guard sent.contains(path), case .object(var properties, let others) = model.shape else { return }
                for property in properties where property.isNullable && !property.isRequired && !property.isReadOnly {
                    unsendable.append((model.pointer, property.key))
                }
                for index in properties.indices where properties[index].isReadOnly && properties[index].isRequired {
                    properties[index].isRequired = false
                    properties[index].type = .optional(properties[index].type.unwrapped)
                }
                model.shape = .object(properties, others: others)
            }
        }
        guard let first = unsendable.first else { return }
        let count = unsendable.count - 1
        let others = count > 1 ? ", and of \(count) others," : count == 1 ? ", and of another one," : ""
        remarks.append(
            Remark(
                pointer: first.place,
                text: "the null of its member \"\(first.name)\"\(others) cannot be sent. nil leaves the member out"))
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
