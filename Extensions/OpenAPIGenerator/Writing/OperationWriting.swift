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
        text.line("/// `\(operation.method.uppercased()) \(operation.pointer.path)`")
        for parameter in operation.parameters {
            guard let summary = parameter.summary, !summary.isEmpty else { continue }
            text.comment("- Parameter \(parameter.argument): \(summary.replacing("\n", with: " "))")
        }
        if case .bytes(let type, _) = operation.body { text.comment("- Parameter body: The bytes, as `\(type)`.") }
        if case .events = operation.output {
            text.comment("- Returns: An endpoint for `events(_:)`, which reads a stream.")
        }
        if operation.isDeprecated { text.line("@available(*, deprecated)") }
        let output = operation.output.type?.code ?? "Void"
        text.list(
            "\(access)static func \(Names.escaped(operation.name))(", arguments(of: operation),
            ") -> Endpoint<Void, \(output)> {")
        text.indented { $0.chain("Route(", routeArguments(of: operation), ")", ".returning(\(output).self)") }
        text.line("}")
    }

    private func arguments(of operation: Plan.Operation) -> [String] {
        var required: [String] = []
        var optional: [String] = []
        for parameter in operation.parameters {
            let argument = "\(Names.escaped(parameter.argument)): \(parameter.type.code)"
            if parameter.isRequired { required.append(argument) } else { optional.append(argument + "? = nil") }
        }
        switch operation.body {
        case .json(let type, let isRequired):
            if isRequired {
                required.append("body: \(type.code)")
            } else {
                optional.append("body: \(type.unwrapped.code)? = nil")
            }
        case .text(_, let isRequired):
            if isRequired { required.append("body: String") } else { optional.append("body: String? = nil") }
        case .bytes(_, let isRequired):
            if isRequired { required.append("body: RouteBody") } else { optional.append("body: RouteBody? = nil") }
        case .form(let isRequired):
            if isRequired { required.append("form: Parameters") } else { optional.append("form: Parameters = [:]") }
        case .multipart(let isRequired):
            if isRequired {
                required.append("form: [MultipartPart]")
            } else {
                optional.append("form: [MultipartPart]? = nil")
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
            case .argument(let name): path += "\\(\(Names.escaped(name)))"
            }
        }
        var arguments = ["path: \"\(path)\""]
        if operation.method != "get" { arguments.append("method: .\(operation.method)") }
        let query = list(operation, .query)
        if case .form = operation.body {
            arguments.append("params: form")
            arguments.append("encoding: .form")
            return arguments
        }
        if let query { arguments.append("params: \(query)") }
        if let headers = list(operation, .header) { arguments.append("headers: (\(headers) as Parameters).asHeaders") }
        if operation.arrays == .commas { arguments.append("encoding: .url(arrays: .commas)") }
        switch operation.body {
        case .json(_, let isRequired):
            arguments.append(isRequired ? "body: .json(body)" : "body: body.map { .json($0) }")
        case .text(let type, let isRequired):
            let content = "contentType: \(type.literal)"
            arguments.append(isRequired ? "body: .text(body, \(content))" : "body: body.map { .text($0, \(content)) }")
        case .bytes: arguments.append("body: body")
        case .multipart: arguments.append("multipart: form")
        case .form, nil: break
        }
        return arguments
    }

    /// The parameters of a place as a literal of a dictionary.
    private func list(_ operation: Plan.Operation, _ place: Plan.Parameter.Place) -> String? {
        let parameters = operation.parameters.filter { $0.place == place }
        if parameters.isEmpty { return nil }
        return "[" + parameters.map { "\($0.name.literal): \(Names.escaped($0.argument))" }.joined(separator: ", ")
            + "]"
    }
}

extension String {
    /// The path of an operation's JSON pointer: `/paths/~1pets/get` is `/pets`.
    fileprivate var path: String {
        split(separator: "/", omittingEmptySubsequences: false).dropFirst(2).first
            .map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") } ?? self
    }
}
