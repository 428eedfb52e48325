import Halyard

// Bodies, results and errors.
extension OperationPlanner {
    private static let eventStream = "text/event-stream"

    mutating func body(
        of operation: Node, _ scope: String, _ names: inout Set<String>
    ) throws(DocumentError) -> Plan.Body? {
        guard operation["requestBody"].exists else { return nil }
        let request = try document.resolved(operation["requestBody"])
        let isRequired = request["required"].bool
        let content = request["content"].members
        if let chosen = json(in: content) ?? content.first, content.contains(where: { differs($0, from: chosen) }) {
            remark(request["content"], "the body has several types. Only \(chosen.name) is written")
        }
        if let json = json(in: content) {
            let type = try schemas.type(of: json.node["schema"], named: scope + "Body")
            let mediaType = json.name.mediaType
            let isPlain = mediaType == "application/json" || mediaType.contains("*")
            return Plan.Body(kind: .json(type, contentType: isPlain ? nil : json.name), isRequired: isRequired)
        }
        guard let first = content.first else { return nil }
        let kind: Plan.Body.Kind
        switch first.name.mediaType {
        case "multipart/form-data": kind = try form(first.node, scope, &names)
        case "application/x-www-form-urlencoded":
            for (_, node) in first.node["encoding"].members
            where node["explode"].json.bool == false || node["style"].string?.hasSuffix("Delimited") == true {
                remark(node, "a list in a form is written with the name repeated")
            }
            let schema = try document.resolved(first.node["schema"])
            // A form that can have no field is none.
            let hasMore = ["additionalProperties", "allOf", "anyOf", "oneOf"].contains { schema[$0].exists }
            if schema["properties"].json.object?.isEmpty == true, !hasMore { return nil }
            let isDeep = first.node["encoding"].members.contains { $0.node["style"].string == "deepObject" }
            let type =
                schema.exists
                ? try schemas.type(of: first.node["schema"], named: scope + "Body") : .dictionary(.plain("String"))
            kind = .form(type, isDeep ? .indexed : .repeated)
        case let type where type.hasPrefix("text/"): kind = .text(contentType: first.name)
        default: kind = .bytes(contentType: first.name)
        }
        return Plan.Body(kind: kind, isRequired: isRequired)
    }

    /// The parts of a multipart form, each an argument.
    private mutating func form(
        _ content: Node, _ scope: String, _ names: inout Set<String>
    ) throws(DocumentError) -> Plan.Body.Kind {
        var schema = try Schema(document.resolved(content["schema"]), document)
        while case .reference(let node) = schema.kind { schema = try Schema(document.resolved(node), document) }
        guard case .object(let members, _) = schema.kind else {
            remark(content, "the parts of the form are not known. The argument is a list of MultipartPart")
            return .multipart
        }
        var parts: [Plan.Part] = []
        for member in members {
            let type = try schemas.type(of: member.schema, named: scope + Names.type(member.name))
            parts.append(
                Plan.Part(
                    name: member.name, argument: Names.unique(Names.member(member.name), &names),
                    type: partType(type, member.schema), isRequired: member.isRequired,
                    summary: member.schema["description"].string,
                    contentType: content["encoding"][member.name]["contentType"].string?.singleType))
        }
        return .parts(parts.filter(\.isRequired) + parts.filter { !$0.isRequired })
    }

    /// The type of an argument that becomes a part: text, or anything that has bytes.
    private mutating func partType(_ type: Plan.TypeName, _ node: Node) -> Plan.TypeName {
        switch type {
        case .plain("Data"): return .plain("any PartConvertible")
        case .plain("Date"): return .plain("ISO8601Date")
        case .plain("URL"): return .plain("String")
        case .dictionary: break
        case .plain, .model: return type
        case .optional(let type): return partType(type, node)
        case .array(.plain("Data")), .array(.optional(.plain("Data"))): return .array(.plain("MultipartPart"))
        case .array(let element):
            if case .array = element { break }
            return .array(partType(element, node))
        }
        remark(node, "a part of any names is not written. The argument is a MultipartPart")
        return .plain("MultipartPart")
    }

    /// The media type to ask for: that which is read, where a success has several or another than JSON's own.
    func accept(of operation: Node) throws(DocumentError) -> String? {
        for (name, reference) in operation["responses"].members where name.hasPrefix("2") {
            let content = try document.resolved(reference)["content"].members
            guard let first = json(in: content) ?? content.first else { continue }
            let isClear = content.count == 1 || first.name.contains("*")
            return isClear || first.name.mediaType == Self.eventStream ? nil : first.name
        }
        return nil
    }

    /// The first success that has a body. Another one without a body makes it optional.
    mutating func output(
        of operation: Node, _ method: String, _ scope: String
    ) throws(DocumentError) -> Plan.Output {
        // The response to HEAD has no body (RFC 9110 section 9.3.2).
        if method == "head" { return .nothing }
        var output: Plan.Output?
        var (isEmpty, contents) = (false, 0)
        let all = operation["responses"].members
        let successes = all.filter { $0.name.hasPrefix("2") }.sorted { $0.name < $1.name }
        for (_, reference) in successes.isEmpty ? all.filter({ $0.name == "default" }) : successes {
            let content = try document.resolved(reference)["content"].members
            if content.isEmpty { isEmpty = true } else { contents += 1 }
            guard output == nil, let first = json(in: content) ?? content.first else { continue }
            if content.contains(where: { $0.name.mediaType != Self.eventStream && differs($0, from: first) }) {
                remark(operation["responses"], "a response has several types. Only \(first.name) is read")
            }
            output = try self.output(first.name, first.node["schema"], scope)
        }
        guard let output else { return .nothing }
        if contents > 1 { remark(operation["responses"], "several successes have a body. Only the first is read") }
        if isEmpty, case .value(let type) = output { return .value(.optional(type.unwrapped)) }
        return output
    }

    /// The events of an operation that answers with a stream of them if the client accepts one, and else otherwise.
    mutating func otherEvents(of operation: Node, _ scope: String) throws(DocumentError) -> Plan.Output? {
        for (name, reference) in operation["responses"].members where name.hasPrefix("2") {
            let content = try document.resolved(reference)["content"].members
            guard content.count > 1, let events = content.first(where: { $0.name.mediaType == Self.eventStream }) else {
                continue
            }
            return try output(events.name, events.node["schema"], scope)
        }
        return nil
    }

    /// The types of the bodies of errors. Problem details (RFC 9457) need none.
    mutating func failures(of operation: Node, _ scope: String) throws(DocumentError) -> [Plan.Failure] {
        var failures: [Plan.Failure] = []
        for (name, reference) in operation["responses"].members {
            guard let statuses = Plan.Failure.statuses(name) else { continue }
            let content = try document.resolved(reference)["content"].members
            guard let json = content.first(where: { isJSON($0) && $0.name.mediaType != "application/problem+json" }),
                json.node["schema"].exists
            else { continue }
            let type = try schemas.type(of: json.node["schema"], named: scope + "Failure").unwrapped
            guard case .model(let path) = type, !schemas.isEnumeration(path) else {
                remark(json.node, "an error that is no object has no type. It is an HTTPError")
                continue
            }
            failures.append(Plan.Failure(model: path, statuses: statuses))
        }
        return failures.sorted()
    }

    private mutating func output(
        _ mediaType: String, _ schema: Node, _ scope: String
    ) throws(DocumentError) -> Plan.Output {
        if mediaType.mediaType == Self.eventStream {
            return .events(schema.exists ? try schemas.type(of: schema, named: scope + "Event") : .plain("String"))
        }
        if isJSON((mediaType, Node(json: ["schema": schema.json], pointer: schema.pointer))) {
            return .value(schema.exists ? try schemas.type(of: schema, named: scope + "Output") : .plain("JSON"))
        }
        return .value(.plain(mediaType.hasPrefix("text/") ? "String" : "Data"))
    }

    /// The content that is read or written: plain JSON, or else another kind of JSON. `nil` if there is none.
    private func json(in content: [(name: String, node: Node)]) -> (name: String, node: Node)? {
        content.first { $0.name.mediaType == "application/json" } ?? content.first(where: isJSON)
    }

    /// Whether a content is more than another media type for the same JSON. In a merge patch, null has a meaning.
    private func differs(_ content: (name: String, node: Node), from other: (name: String, node: Node)) -> Bool {
        let isSame = isJSON(content) && isJSON(other) && content.node["schema"].json == other.node["schema"].json
        return content.name != other.name && (!isSame || content.name.mediaType == "application/merge-patch+json")
    }

    /// Whether a content is JSON, by its media type. Any type is, unless the schema says that it is bytes.
    private func isJSON(_ content: (name: String, node: Node)) -> Bool {
        let type = content.name.mediaType
        if type == "*/*" || type == "application/*" {
            return content.node["schema"].exists && content.node["schema"]["format"].string != "binary"
        }
        return type.isJSONType
    }
}

extension String {
    /// A media type without its parameters, in lower case.
    var mediaType: String { String(prefix { $0 != ";" }.trimmed).lowercased() }

    /// Whether a media type without parameters is JSON.
    var isJSONType: Bool { self == "application/json" || self == "text/json" || hasSuffix("+json") }

    /// The text, if it is one media type and no choice of several.
    fileprivate var singleType: String? { contains(",") || contains("*") ? nil : self }
}
