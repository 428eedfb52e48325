import Halyard

/// What is generated of a document. Empty lists choose everything.
package struct Selection: Sendable {
    package var tags: [String] = []
    package var operations: [String] = []
    package var paths: [String] = []

    package init() {}

    var isEmpty: Bool { tags.isEmpty && operations.isEmpty && paths.isEmpty }

    fileprivate func includes(_ operation: Node, _ path: String) -> Bool {
        isEmpty || paths.contains(path) || operation["operationId"].string.map(operations.contains) == true
            || operation["tags"].strings.contains(where: tags.contains)
    }
}

/// Decides what each operation becomes.
struct OperationPlanner {
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    private let document: OpenAPIDocument
    private var schemas: SchemaPlanner
    private var groups: [Plan.Group] = []
    /// The names of the functions of each group.
    private var used: [String: Set<String>] = [:]

    init(_ document: OpenAPIDocument, provider: String) {
        self.document = document
        schemas = SchemaPlanner(document, provider: provider)
    }

    /// Plans the operations that are selected, and all models that they need.
    mutating func plan(_ selection: Selection) throws(DocumentError) -> (
        groups: [Plan.Group], models: [Plan.Model], remarks: [Plan.Remark]
    ) {
        var count = 0
        for (path, reference) in document.root["paths"].members {
            let item = try document.resolved(reference)
            for method in Self.methods where item[method].exists && selection.includes(item[method], path) {
                try add(item[method], of: item, method, path)
                count += 1
            }
        }
        guard count > 0 || selection.isEmpty else { throw DocumentError("/paths", "no operation is selected") }
        if selection.isEmpty {
            try schemas.planAll()
            let webhooks = document.root["webhooks"]
            if webhooks.exists { remark(webhooks, "webhooks are not generated, only the models of the document") }
        }
        return (groups, schemas.models, schemas.remarks)
    }

    private mutating func add(
        _ operation: Node, of item: Node, _ method: String, _ path: String
    ) throws(DocumentError) {
        let tag = operation["tags"].strings.first ?? "API"
        let group = schemas.groupName(tag)
        let name = self.name(of: operation, method, path, tag)
        let unique = Names.unique(name, &used[group, default: []])
        let upper = Names.type(tag + " " + unique)
        let parameters = try self.parameters(of: operation, item, path, upper)
        var arguments = Set(parameters.map(\.argument) + ["body"])
        let body = try self.body(of: operation, upper, &arguments)
        var planned = Plan.Operation(
            name: unique, summary: operation["summary"].string ?? operation["description"].string, method: method,
            path: pathParts(path, parameters), parameters: parameters, body: body,
            output: try output(of: operation, upper), isDeprecated: operation["deprecated"].bool,
            pointer: operation.pointer)
        if operation["callbacks"].exists { remark(operation["callbacks"], "callbacks are not generated") }
        planned.arrays = try arrays(of: operation, item)
        planned.failures = try failures(of: operation, upper)
        if let index = groups.firstIndex(where: { $0.name == group }) {
            groups[index].operations.append(planned)
        } else {
            let summary = document.root["tags"].elements.first { $0["name"].string == tag }?["description"].string
            groups.append(Plan.Group(name: group, summary: summary, operations: [planned]))
        }
    }

    /// `repos/list-for-org` in the group `Repos` is `listForOrg`.
    private func name(of operation: Node, _ method: String, _ path: String, _ tag: String) -> String {
        guard let id = operation["operationId"].string else {
            return Names.member(method + " " + path.replacing("{", with: " by ").replacing("}", with: " "))
        }
        let words = Names.words(id)
        let prefix = Names.words(tag)
        let isPrefixed =
            words.count > prefix.count && zip(words, prefix).allSatisfy { $0.lowercased() == $1.lowercased() }
        return Names.member((isPrefixed ? Array(words.dropFirst(prefix.count)) : words).joined(separator: " "))
    }

    // MARK: Parameters

    private func parameterNodes(of operation: Node, _ item: Node) throws(DocumentError) -> [Node] {
        var nodes: [Node] = []
        for reference in item["parameters"].elements + operation["parameters"].elements {
            let node = try document.resolved(reference)
            let same = nodes.firstIndex {
                $0["name"].string == node["name"].string && $0["in"].string == node["in"].string
            }
            if let same { nodes[same] = node } else { nodes.append(node) }
        }
        return nodes
    }

    private mutating func parameters(
        of operation: Node, _ item: Node, _ path: String, _ scope: String
    ) throws(DocumentError) -> [Plan.Parameter] {
        var names: Set<String> = ["body"]
        var parameters: [Plan.Parameter] = []
        for node in try parameterNodes(of: operation, item) {
            guard let name = node["name"].string, let place = node["in"].string else {
                throw DocumentError(node.pointer, "a parameter needs a name and a place")
            }
            let places: [String: Plan.Parameter.Place] = ["path": .path, "query": .query, "header": .header]
            guard let planned = places[place] else {
                remark(node, "a parameter in \"\(place)\" is left out. Set the header Cookie yourself")
                continue
            }
            if planned == .path, !path.contains("{\(name)}") { continue }
            if planned == .header, ["accept", "content-type", "authorization"].contains(name.lowercased()) { continue }
            let schema =
                node["schema"].exists ? node["schema"] : node["content"].members.first?.node["schema"] ?? node["schema"]
            let type = try schemas.type(of: schema, named: scope + Names.type(name)).unwrapped
            parameters.append(
                Plan.Parameter(
                    place: planned, name: name, argument: Names.unique(Names.member(name), &names),
                    type: try parameterType(type, planned, node), isRequired: node["required"].bool || planned == .path,
                    summary: node["description"].string))
        }
        for name in path.placeholders where !parameters.contains(where: { $0.place == .path && $0.name == name }) {
            remark(operation, "its path has {\(name)}, which is no parameter. The argument is a String")
            parameters.append(
                Plan.Parameter(
                    place: .path, name: name, argument: Names.unique(Names.member(name), &names),
                    type: .plain("String"),
                    isRequired: true))
        }
        return parameters.filter(\.isRequired) + parameters.filter { !$0.isRequired }
    }

    /// The type of an argument: a model is not a parameter.
    private mutating func parameterType(
        _ type: Plan.TypeName, _ place: Plan.Parameter.Place, _ node: Node
    ) throws(DocumentError) -> Plan.TypeName {
        let style = node["style"].string
        if let style, ["label", "matrix", "spaceDelimited", "pipeDelimited"].contains(style) {
            remark(node, "the style \(style) is not known. The argument is a String that you write in it")
            return .plain("String")
        }
        switch type {
        case .plain("JSON"), .dictionary: return place == .query ? .plain("Parameters") : .plain("String")
        case .plain("Date"): return .plain("ISO8601Date")
        case .plain("Data"): return .plain("String")
        case .plain: return type
        case .array(let element):
            if place != .query { return .plain("String") }
            return .array(try parameterType(element, place, node))
        case .optional(let type): return try parameterType(type, place, node)
        case .model(let path):
            if schemas.enumerations.contains(path) { return type }
            return place == .query ? .plain("Parameters") : .plain("String")
        }
    }

    /// How the lists of a query are written, which is the same for a whole route.
    private mutating func arrays(of operation: Node, _ item: Node) throws(DocumentError) -> Plan.Arrays {
        var styles: Set<Bool> = []
        for node in try parameterNodes(of: operation, item) where node["in"].string == "query" {
            guard try document.resolved(node["schema"])["type"].string == "array" else { continue }
            styles.insert(node["explode"].json.bool ?? true)
        }
        if styles.count > 1 {
            remark(operation, "its lists have several styles. All are written with the name repeated")
            return .repeated
        }
        return styles == [false] ? .commas : .repeated
    }

    private func pathParts(_ path: String, _ parameters: [Plan.Parameter]) -> [Plan.PathPart] {
        var parts: [Plan.PathPart] = []
        var rest = Substring(path)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            let name = rest[rest.index(after: open)..<close]
            let argument = parameters.first { $0.place == .path && $0.name == name }?.argument
            parts.append(argument.map { .argument($0) } ?? .text("{\(name)}"))
            rest = rest[rest.index(after: close)...]
        }
        return rest.isEmpty ? parts : parts + [.text(String(rest))]
    }

    // MARK: Bodies

    private mutating func body(
        of operation: Node, _ scope: String, _ names: inout Set<String>
    ) throws(DocumentError) -> Plan.Body? {
        guard operation["requestBody"].exists else { return nil }
        let request = try document.resolved(operation["requestBody"])
        let isRequired = request["required"].bool
        let content = request["content"].members
        if content.count > 1 {
            let chosen = (content.first { $0.name.isJSON } ?? content[0]).name
            remark(request["content"], "the body has several types. Only \(chosen) is written")
        }
        if let json = content.first(where: { $0.name.isJSON }) {
            let type = try schemas.type(of: json.node["schema"], named: scope + "Body")
            return Plan.Body(kind: .json(type), isRequired: isRequired)
        }
        guard let first = content.first else { return nil }
        let kind: Plan.Body.Kind
        switch first.name {
        case "multipart/form-data": kind = try form(first.node, scope, &names)
        case "application/x-www-form-urlencoded":
            let schema = first.node["schema"]
            kind = .form(
                schema.exists ? try schemas.type(of: schema, named: scope + "Body") : .dictionary(.plain("String")))
        case let type where type.hasPrefix("text/"): kind = .text(contentType: type)
        default: kind = .bytes(contentType: first.name)
        }
        return Plan.Body(kind: kind, isRequired: isRequired)
    }

    /// The parts of a multipart form, each an argument.
    private mutating func form(
        _ content: Node, _ scope: String, _ names: inout Set<String>
    ) throws(DocumentError) -> Plan.Body.Kind {
        guard case .object(let members, _) = try Schema(document.resolved(content["schema"]), document).kind else {
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
                    summary: member.schema["description"].string))
        }
        return .parts(parts.filter(\.isRequired) + parts.filter { !$0.isRequired })
    }

    /// The type of an argument that becomes a part: text, or anything that has bytes.
    private mutating func partType(_ type: Plan.TypeName, _ node: Node) -> Plan.TypeName {
        switch type {
        case .plain("Data"): return .plain("any PartConvertible")
        case .plain("Date"): return .plain("ISO8601Date")
        case .plain("URL"): return .plain("String")
        case .plain("JSON"), .dictionary: break
        case .plain: return type
        case .optional(let type): return partType(type, node)
        case .array(.plain("Data")): return .array(.plain("MultipartPart"))
        case .array(let element):
            if case .array = element { break }
            return .array(partType(element, node))
        case .model(let path): if schemas.enumerations.contains(path) { return type }
        }
        remark(node, "a part of JSON is not written. The argument is a MultipartPart")
        return .plain("MultipartPart")
    }

    /// The first success that has a body. Another one without a body makes it optional.
    private mutating func output(of operation: Node, _ scope: String) throws(DocumentError) -> Plan.Output {
        var output: Plan.Output?
        var (isEmpty, contents) = (false, 0)
        let all = operation["responses"].members
        let successes = all.filter { $0.name.hasPrefix("2") }.sorted { $0.name < $1.name }
        for (_, reference) in successes.isEmpty ? all.filter({ $0.name == "default" }) : successes {
            let content = try document.resolved(reference)["content"].members
            if content.isEmpty { isEmpty = true } else { contents += 1 }
            guard output == nil, let first = content.first(where: { $0.name.isJSON }) ?? content.first else { continue }
            output = try self.output(first.name, first.node["schema"], scope)
        }
        guard let output else { return .nothing }
        if contents > 1 { remark(operation["responses"], "several successes have a body. Only the first is read") }
        if isEmpty, case .value(let type) = output { return .value(.optional(type.unwrapped)) }
        return output
    }

    /// The types of the bodies of errors. Problem details (RFC 9457) need none.
    private mutating func failures(of operation: Node, _ scope: String) throws(DocumentError) -> [Plan.Failure] {
        var failures: [Plan.Failure] = []
        for (name, reference) in operation["responses"].members {
            guard let statuses = Plan.Failure.statuses(name) else { continue }
            let content = try document.resolved(reference)["content"].members
            guard let json = content.first(where: { $0.name.isJSON && !$0.name.hasPrefix("application/problem+json") }),
                json.node["schema"].exists
            else { continue }
            let type = try schemas.type(of: json.node["schema"], named: scope + "Failure").unwrapped
            guard case .model(let path) = type, !schemas.enumerations.contains(path) else {
                remark(json.node, "an error that is no object has no type. It is an HTTPError")
                continue
            }
            failures.append(Plan.Failure(model: path, statuses: statuses))
        }
        return failures.sorted {
            ($0.statuses.count, $0.statuses.lowerBound) < ($1.statuses.count, $1.statuses.lowerBound)
        }
    }

    private mutating func output(
        _ mediaType: String, _ schema: Node, _ scope: String
    ) throws(DocumentError) -> Plan.Output {
        if mediaType == "text/event-stream" {
            return .events(schema.exists ? try schemas.type(of: schema, named: scope + "Event") : .plain("String"))
        }
        if mediaType.isJSON {
            return .value(schema.exists ? try schemas.type(of: schema, named: scope + "Output") : .plain("JSON"))
        }
        return .value(.plain(mediaType.hasPrefix("text/") ? "String" : "Data"))
    }

    private mutating func remark(_ node: Node, _ text: String) {
        schemas.remarks.append(Plan.Remark(pointer: node.pointer, text: text))
    }
}

extension String {
    /// The names in braces.
    fileprivate var placeholders: [String] {
        split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            part.firstIndex(of: "}").map { String(part[..<$0]) }
        }
    }

    /// Whether the media type is JSON.
    fileprivate var isJSON: Bool {
        let type = prefix { $0 != ";" }.lowercased()
        return type == "application/json" || type.hasSuffix("+json") || type == "text/json"
    }
}
