import Halyard

/// Decides what each operation becomes.
struct OperationPlanner {
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    let document: OpenAPIDocument
    var schemas: SchemaPlanner
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
        var all: [(path: String, node: Node)] = []
        for (path, reference) in document.root["paths"].members {
            let item = try document.resolved(reference)
            for method in Self.methods where item[method].exists {
                all.append((path, item[method]))
                if selection.includes(item[method], path) { try add(item[method], of: item, method, path) }
            }
        }
        try selection.check(all)
        if selection.isEmpty {
            try schemas.planAll()
            let webhooks = document.root["webhooks"]
            if webhooks.exists { remark(webhooks, "webhooks are not generated, only the models of the document") }
        }
        let models = try schemas.finish()
        return (groups, models, schemas.remarks)
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
            path: pathParts(path, parameters), documentedPath: path, parameters: parameters, body: body,
            output: try output(of: operation, upper), isDeprecated: operation["deprecated"].bool,
            pointer: operation.pointer)
        if operation["servers"].exists || item["servers"].exists {
            remark(operation, "its own server is not used. The request goes to the base URL")
        }
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
        case .plain("JSON"): return .plain(place == .query ? "any ParameterConvertible" : "String")
        case .dictionary: return .plain(place == .query ? "Parameters" : "String")
        case .plain("Date"): return .plain("ISO8601Date")
        case .plain("Data"): return .plain("String")
        case .plain: return type
        case .array(let element):
            if place != .query { return .plain("String") }
            let element = try parameterType(element, place, node)
            return element == .plain("any ParameterConvertible") ? element : .array(element)
        case .optional(let type): return try parameterType(type, place, node)
        case .model(let path):
            if schemas.enumerations.contains(path) { return type }
            return .plain(place == .query ? "any ParameterConvertible" : "String")
        }
    }

    /// How the lists of a query are written, which is the same for a whole route.
    private mutating func arrays(of operation: Node, _ item: Node) throws(DocumentError) -> Plan.Arrays {
        var styles: Set<Bool> = []
        for node in try parameterNodes(of: operation, item) where node["in"].string == "query" {
            guard case .array = try Schema(document.resolved(node["schema"]), document).kind else { continue }
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
        // A fragment, which some documents use to tell operations apart, is not sent.
        var rest = path.prefix { $0 != "#" }
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            let name = rest[rest.index(after: open)..<close]
            let argument = parameters.first { $0.place == .path && $0.name == name }?.argument
            parts.append(argument.map { .argument($0) } ?? .text("{\(name)}"))
            rest = rest[rest.index(after: close)...]
        }
        return rest.isEmpty ? parts : parts + [.text(String(rest))]
    }

    mutating func remark(_ node: Node, _ text: String) {
        schemas.remark(node, text)
    }
}

extension String {
    /// The names in braces.
    fileprivate var placeholders: [String] {
        split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            part.firstIndex(of: "}").map { String(part[..<$0]) }
        }
    }
}
