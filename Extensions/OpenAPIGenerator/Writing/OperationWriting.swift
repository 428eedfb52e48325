/// Writes the operations of a group, as functions that return endpoints.
struct OperationWriting {
    let access: String
    let provider: Plan.Provider

    func write(_ group: Plan.Group, to text: inout SwiftText) {
        text.block("extension \(provider.name) {") { text in
            text.comment(group.summary)
            text.block("\(access)enum \(Names.escaped(group.name)) {") { text in
                for (index, operation) in group.operations.enumerated() {
                    if index > 0 { text.line() }
                    write(operation, to: &text)
                }
            }
        }
    }

    private func write(_ operation: Plan.Operation, to text: inout SwiftText) {
        text.comment(operation.summary)
        if operation.summary != nil { text.line("///") }
        text.line("/// `\(operation.method.uppercased()) \(operation.documentedPath.oneLine)`")
        if let security = operation.security {
            text.line("///")
            text.comment(security)
        }
        for parameter in operation.parameters {
            guard let summary = parameter.summary, !summary.isEmpty else { continue }
            text.comment("- Parameter \(parameter.argument): \(summary.replacing("\n", with: " "))")
        }
        if case .bytes(let type) = operation.body?.kind { text.comment("- Parameter body: The bytes, as `\(type)`.") }
        if case .json(_, "application/merge-patch+json") = operation.body?.kind {
            text.comment(
                "- Parameter body: A member that is nil stays as it is. A null, which removes one, is not sent.")
        }
        if case .parts(let parts) = operation.body?.kind {
            for part in parts {
                guard let summary = part.summary, !summary.isEmpty else { continue }
                text.comment("- Parameter \(part.argument): \(summary.oneLine)")
            }
        }
        if case .events = operation.output {
            text.comment("- Returns: An endpoint for `events(_:)`, which reads a stream.")
        }
        if operation.isDeprecated { text.line("@available(*, deprecated)") }
        let output = operation.output.type?.code ?? "Void"
        text.list(
            "\(access)static func \(Names.escaped(operation.name))(", arguments(of: operation),
            ") -> Endpoint<Void, \(output)> {")
        let failures = operation.failures.isEmpty ? [] : [".failures(\(operation.failures.code(".")))"]
        text.indented {
            $0.chain("Route(", routeArguments(of: operation), ")", failures + [".returning(\(output).self)"])
        }
        text.line("}")
    }

    private func arguments(of operation: Plan.Operation) -> [String] {
        var required: [String] = []
        var optional: [String] = []
        func add(_ argument: String, _ type: Plan.TypeName, isRequired: Bool) {
            if isRequired { return required.append("\(argument): \(type.code)") }
            let code = type.isExistential ? "(\(type.code))" : type.unwrapped.code
            optional.append("\(argument): \(code)? = nil")
        }
        for parameter in operation.parameters {
            add(Names.escaped(parameter.argument), parameter.type, isRequired: parameter.isRequired)
        }
        let isRequired = operation.body?.isRequired ?? false
        switch operation.body?.kind {
        case .json(let type, _), .form(let type, _): add("body", type, isRequired: isRequired)
        case .text: add("body", .plain("String"), isRequired: isRequired)
        case .bytes: add("body", .plain("RouteBody"), isRequired: isRequired)
        case .multipart: add("body", .array(.plain("MultipartPart")), isRequired: isRequired)
        case .parts(let parts):
            for part in parts {
                add(Names.escaped(part.argument), part.type, isRequired: part.isRequired)
            }
        case nil: break
        }
        return required + optional
    }

    private func routeArguments(of operation: Plan.Operation) -> [String] {
        var path = ""
        for part in operation.path {
            switch part {
            case .text(let text): path += text.literal.dropFirst().dropLast()
            case .argument(let name):
                let parameter = operation.parameters.first { $0.place == .path && $0.argument == name }
                path += "\\(\(parameter?.value ?? name))"
            }
        }
        var arguments = ["path: \"\(path)\""]
        if operation.method != "get" { arguments.append("method: .\(operation.method)") }
        if let query = query(of: operation) { arguments.append("params: \(query)") }
        var others = [list(operation, .cookie)].compactMap(\.self).map { "\"Cookie\": (\($0) as Parameters).asCookies" }
        if let type = operation.accept { others.append("\"Accept\": \(type.literal)") }
        if case .json(_, let type?) = operation.body?.kind { others.append("\"Content-Type\": \(type.literal)") }
        if let headers = list(operation, .header, others) {
            // Texts alone need no parameters.
            let hasValues = operation.parameters.contains { [.header, .cookie].contains($0.place) }
            arguments.append("headers: " + (hasValues ? "(\(headers) as Parameters).asHeaders" : headers))
        }
        if operation.arrays != .repeated { arguments.append("encoding: .url(arrays: .\(operation.arrays.rawValue))") }
        if let body = body(of: operation) { arguments.append(body) }
        return arguments
    }

    private func body(of operation: Plan.Operation) -> String? {
        guard let body = operation.body else { return nil }
        func argument(_ make: (String) -> String) -> String {
            "body: " + (body.isRequired ? make("body") : "body.map { \(make("$0")) }")
        }
        switch body.kind {
        case .json: return argument { ".json(\($0))" }
        case .form(_, let arrays):
            let style = arrays == .repeated ? "" : ", arrays: .\(arrays.rawValue)"
            return argument { ".form(encoding: \($0)\(style))" }
        case .text(let type): return argument { ".text(\($0), contentType: \(type.literal))" }
        case .bytes: return "body: body"
        case .multipart: return "multipart: body"
        case .parts(let parts):
            let list = parts.map { part in
                let call = part.contentType.map { ".part(contentType: \($0.literal))" } ?? ""
                let mark = call.isEmpty || part.isRequired ? "" : "?"
                return "\(part.name.literal): \(Names.escaped(part.argument))\(mark)\(call)"
            }
            return "multipart: .form(\(SwiftText.list(list)))"
        }
    }

    /// The parameters of the query, with the members of objects.
    private func query(of operation: Plan.Operation) -> String? {
        let members = operation.parameters.filter { $0.style == .members }
        let list = list(operation, .query)
        if members.isEmpty { return list }
        return members.reduce("(\(list ?? "[:]") as Parameters)") { $0 + ".merging(\($1.value))" }
    }

    /// The parameters of a place as a literal of a dictionary.
    private func list(_ operation: Plan.Operation, _ place: Plan.Parameter.Place, _ others: [String] = []) -> String? {
        let parameters = operation.parameters.filter { $0.place == place && $0.style != .members }
        let items = parameters.map { "\($0.name.literal): \($0.value)" } + others
        return items.isEmpty ? nil : SwiftText.list(items)
    }
}

extension Plan.Parameter {
    /// The value of the parameter in code.
    fileprivate var value: String {
        let argument = Names.escaped(argument)
        let access = isRequired ? argument : argument + "?"
        return switch style {
        case .joined(let separator): "\(access).joined(by: \(separator.literal))"
        case .object: "\(access).asParameters"
        case .members: type.isModel ? "\(access).asParameters" : argument
        case .joinedMembers(let separator):
            "\(access)\(type.isModel ? ".asParameters" : "").joined(by: \(separator.literal))"
        case .value, .indexed: argument
        }
    }
}

extension Plan.TypeName {
    fileprivate var isModel: Bool { if case .model = self { true } else { false } }
    fileprivate var isExistential: Bool { if case .plain(let name) = self { name.hasPrefix("any ") } else { false } }
}

extension [Plan.Failure] {
    /// The types of errors in code. `head` is what the first one is a member of: `.` or `Failures.`.
    func code(_ head: String) -> String {
        guard let first else { return head + "none" }
        let whole = dropFirst().reduce(head + first.code) { "\($0).followed(by: .\($1.code))" }
        if whole.count < 70 { return whole }
        return dropFirst().reduce(head + first.code) { "\($0)\n    .followed(by: .\($1.code))" }
    }
}

extension Plan.Failure {
    fileprivate var code: String {
        let type = Plan.TypeName.model(model).code
        if statuses == 400...599 { return "json(\(type).self)" }
        return "json(\(type).self, for: \(statuses.lowerBound)...\(statuses.upperBound))"
    }
}
