import Halyard

/// Decides what each operation becomes.
struct OperationPlanner {
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    let document: OpenAPIDocument
    var schemas: SchemaPlanner
    private var groups: [Plan.Group] = []
    /// The names of the functions of each group.
    private var used: [String: Set<String>] = [:]
    /// The responses that have headers.
    private var withHeaders: [Node] = []

    init(_ document: OpenAPIDocument, _ changes: Changes, provider: String) throws(DocumentError) {
        self.document = document
        schemas = try SchemaPlanner(document, changes, provider: provider)
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
                if selection.includes(item[method], path), !schemas.changes.skip.contains(item[method].pointer) {
                    try add(item[method], of: item, method, path)
                }
            }
        }
        try selection.check(all)
        if selection.isEmpty {
            try schemas.planAll()
            let webhooks = document.root["webhooks"]
            if webhooks.exists { remark(webhooks, "webhooks are not generated, only the models of the document") }
        }
        if let first = withHeaders.first {
            let responses = withHeaders.count == 1 ? "this response" : "\(withHeaders.count) responses, such as this,"
            remark(first["headers"], "the headers of \(responses) are not generated. The response has them by name")
        }
        let models = try schemas.finish()
        return (groups, models, schemas.remarks)
    }

    private mutating func add(
        _ operation: Node, of item: Node, _ method: String, _ path: String
    ) throws(DocumentError) {
        let tag = operation["tags"].strings.first ?? path.firstName
        let group = schemas.groupName(tag)
        let name = self.name(of: operation, method, path, tag)
        let unique = Names.unique(name, &used[group, default: []])
        let upper = Names.type(tag + " " + unique)
        var parameters = try self.parameters(of: operation, item, path, upper)
        let arrays = parameters.arrays()
        if parameters.contains(where: { $0.style == .indexed }) {
            remark(operation, "its lists have several styles. Those of deepObject are written with the name repeated")
        }
        var arguments = Set(parameters.map(\.argument) + ["body"])
        let body = try self.body(of: operation, upper, &arguments)
        var planned = Plan.Operation(
            name: unique, summary: operation["summary"].string ?? operation["description"].string, method: method,
            path: pathParts(path, parameters), documentedPath: path, parameters: parameters, body: body,
            output: try output(of: operation, method, upper), accept: try accept(of: operation), arrays: arrays,
            security: security(of: operation), isDeprecated: operation["deprecated"].bool, pointer: operation.pointer)
        let server = operation["servers"].exists ? operation["servers"] : item["servers"]
        if server.exists, server.json[0]["url"] != document.root["servers"].json[0]["url"] {
            remark(operation, "its own server is not used. The request goes to the base URL")
        }
        if operation["callbacks"].exists { remark(operation["callbacks"], "callbacks are not generated") }
        planned.failures = try failures(of: operation, upper)
        for (_, reference) in operation["responses"].members {
            let response = try document.resolved(reference)
            if !response["headers"].members.isEmpty { withHeaders.append(response) }
        }
        var operations = [planned]
        // One that streams on request is two functions, because their results differ.
        if let events = try otherEvents(of: operation, upper) {
            planned.name = Names.unique(unique + "Events", &used[group, default: []])
            (planned.output, planned.accept) = (events, nil)
            operations.append(planned)
        }
        if let index = groups.firstIndex(where: { $0.name == group }) {
            groups[index].operations += operations
        } else {
            let summary = document.root["tags"].elements.first { $0["name"].string == tag }?["description"].string
            groups.append(Plan.Group(name: group, summary: summary, operations: operations))
        }
    }

    /// What an operation needs, if it is not what all need.
    private func security(of operation: Node) -> String? {
        guard let own = operation["security"].json.array, operation["security"].json != document.root["security"].json
        else { return nil }
        let choices = own.map { choice in (choice.object ?? [:]).map { "`\($0.key)`" }.joined(separator: " with ") }
        if choices.allSatisfy(\.isEmpty) {
            return document.root["security"].exists ? "It needs no authentication." : nil
        }
        let named = choices.map { $0.isEmpty ? "none" : $0 }
        return "Authentication: \(named.joined(separator: " or "))."
    }

    /// `repos/list-for-org` in the group `Repos` is `listForOrg`.
    private func name(of operation: Node, _ method: String, _ path: String, _ tag: String) -> String {
        if let name = schemas.changes.names[operation.pointer] { return name }
        guard let id = operation["operationId"].string else {
            return Names.member(method + " " + path.replacing("{", with: " by ").replacing("}", with: " "))
        }
        let words = Names.words(id)
        let prefix = Names.words(tag)
        let isPrefixed =
            words.count > prefix.count && zip(words, prefix).allSatisfy { $0.lowercased() == $1.lowercased() }
        return Names.member((isPrefixed ? Array(words.dropFirst(prefix.count)) : words).joined(separator: " "))
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
    /// The first segment of a path that says what it is about: `books` of `/api/v1/books/{id}`.
    fileprivate var firstName: String {
        let segments = split(separator: "/").lazy.map(String.init)
        return segments.first { segment in
            !segment.hasPrefix("{") && segment != "api" && segment.wholeMatch(of: /v\d+.*/) == nil
        } ?? "API"
    }
}
