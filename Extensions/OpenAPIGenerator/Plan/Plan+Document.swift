import Halyard
import HalyardFoundation

extension Plan {
    /// Decides what is generated of a document. Throws ``DocumentError`` for a flaw that leaves nothing to decide.
    package init(
        _ document: OpenAPIDocument, name: String? = nil, selection: Selection = Selection(),
        changes: Changes = Changes()
    ) throws(DocumentError) {
        let info = document.root["info"]
        let title = info["title"].string ?? "API"
        let typeName = Names.type(title)
        provider.name = name ?? (typeName.hasSuffix("API") ? typeName : typeName + "API")
        provider.title = title
        provider.version = info["version"].string ?? ""
        provider.summary = info["description"].string
        provider.server = document.server
        let server = document.root["servers"].elements.first
        var planner = try OperationPlanner(document, changes, provider: provider.name)
        let planned = try planner.plan(selection)
        var boxes = Boxes(planned.models)
        (groups, models, remarks) = (planned.groups, boxes.place(in: planned.models), planned.remarks)
        endUnions()
        loosenReadOnlyMembers()
        if let server, provider.server == nil {
            let url = server["url"].string ?? "nothing"
            remarks.append(
                Remark(pointer: server.pointer, text: "\(url) is not a whole URL. Set the base URL yourself"))
        }
        shareFailures()
        if let combined = Self.combined(document) {
            let text = "one request needs several credentials. Add all but one with an Authenticator of your own"
            remarks.append(Remark(pointer: combined.pointer, text: text))
        }
        for (name, reference) in document.root["components"]["securitySchemes"].members {
            let scheme = try document.resolved(reference)
            if let value = Self.security(scheme) {
                let text = scheme["description"].string.map { ". \($0.oneLine)" } ?? ""
                provider.security.append("`\(name)`: \(value)\(text)")
            } else {
                remarks.append(
                    Remark(
                        pointer: scheme.pointer, text: "this authentication is not known. Set what it needs yourself"))
            }
        }
    }

    /// The place of a requirement of several schemes at once, where no single one suffices.
    private static func combined(_ document: OpenAPIDocument) -> Node? {
        let choices = document.root["security"].elements
        return choices.allSatisfy { $0.members.count > 1 } ? choices.first : nil
    }

    /// The value of `authentication` for a security scheme.
    private static func security(_ scheme: Node) -> String? {
        switch (scheme["type"].string, scheme["scheme"].string?.lowercased(), scheme["in"].string) {
        case ("http", "basic", _): "`.basic(user:password:)`"
        case ("http", "digest", _): "`.digest(user:password:)`"
        case ("http", "bearer", _), ("oauth2", _, _), ("openIdConnect", _, _): "`.bearer(token)`"
        case ("apiKey", _, "query"): "`.apiKey(key, query: \((scheme["name"].string ?? "").literal))`"
        case ("apiKey", _, "header"): "`.apiKey(key, header: \((scheme["name"].string ?? "").literal))`"
        case ("apiKey", _, "cookie"): "`.apiKey(\"\(scheme["name"].string ?? "")=\\(key)\", header: \"Cookie\")`"
        case ("mutualTLS", _, _): "`EngineConfiguration.TLS(clientCertificate:)`, in the engine of the client"
        default: nil
        }
    }
}

extension OpenAPIDocument {
    /// The URL of the first server with the defaults of its variables. `nil` if it is not a whole URL.
    fileprivate var server: String? {
        let server = root["servers"].elements.first ?? root["nothing"]
        guard let text = server["url"].string else { return nil }
        var (url, rest) = ("", text[...])
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let value = server["variables"][String(rest[rest.index(after: open)..<close])]["default"]
            url += rest[..<open] + (value.string ?? (value.exists ? "\(value.json)" : "{"))
            rest = rest[rest.index(after: close)...]
        }
        url += rest
        guard url.hasPrefix("http"), !url.contains("{"), URL(string: url)?.host() != nil else { return nil }
        return url
    }
}
