import HalyardFoundation
import HalyardHTTP

/// The text that is signed (RFC 9421 section 2.5), made of the components of a message.
struct SignatureBase {
    /// A request, or a response.
    enum Message {
        case request(HTTPRequest)
        case response(HTTPResponse, to: HTTPRequest?)
    }

    let message: Message

    /// Returns the text for components and the parameters of the signature. Throws ``MessageSignatureError`` for a
    /// component that the message does not have.
    func text(_ components: [StructuredItem], _ parameters: StructuredParameters) throws -> Data {
        var lines: [String] = []
        var seen: Set<StructuredItem> = []
        for component in components {
            guard seen.insert(component).inserted else { throw MessageSignatureError.unknownComponent(component.name) }
            guard let value = try value(of: component), value.utf8.allSatisfy({ 0x20...0x7E ~= $0 || $0 == 9 }) else {
                throw MessageSignatureError.unknownComponent(component.name)
            }
            lines.append("\(try component.fieldValue()): \(value)")
        }
        lines.append("\"@signature-params\": \(try StructuredMember.innerList(components, parameters).fieldValue())")
        return Data(lines.joined(separator: "\n").utf8)
    }

    /// The value of a component. `nil` if there is none, or for one that is not known.
    private func value(of component: StructuredItem) throws -> String? {
        let name = component.name
        guard case .string = component.value, name == name.lowercased() else { return nil }
        var parameters = component.parameters
        var message = message
        if parameters["req"]?.boolean == true {
            guard case .response(_, let request?) = message else { return nil }
            message = .request(request)
            parameters["req"] = nil
        }
        guard name.hasPrefix("@") else { return try field(name, parameters, message.headers) }
        switch message {
        case .request(let request):
            if name == "@query-param" { return query(parameters, request) }
            return parameters.all.isEmpty ? derived(name, request) : nil
        case .response(let response, _):
            return name == "@status" && parameters.all.isEmpty ? "\(response.status)" : nil
        }
    }

    /// A component that is made of the request's method or URL (section 2.2).
    private func derived(_ name: String, _ request: HTTPRequest) -> String? {
        let text = String(request.address.text.prefix { $0 != "#" })
        let parts = URLParts(text)
        let path = parts.path.isEmpty ? "/" : parts.path
        let hasQuery = text.contains("?")
        switch name {
        case "@method": return request.method.rawValue
        case "@target-uri": return text
        case "@authority": return request.headers["Host"]?.lowercased() ?? parts.host
        case "@scheme": return parts.scheme
        case "@request-target": return hasQuery ? "\(path)?\(parts.query)" : path
        case "@path": return path
        case "@query": return "?" + parts.query
        default: return nil
        }
    }

    /// The value of a parameter of the query, which must be there once (section 2.2.8).
    private func query(_ parameters: StructuredParameters, _ request: HTTPRequest) -> String? {
        guard parameters.all.count == 1, let name = parameters["name"]?.text else { return nil }
        let pairs = URLParts(String(request.address.text)).query.split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.utf8.percentDecoded(plusIsSpace: true).percentEncoded(keeping: .form)
            }
        }
        let found = pairs.filter { $0[0] == name }
        return found.count == 1 ? found[0].dropFirst().first ?? "" : nil
    }

    /// The value of a header (section 2.1).
    private func field(_ name: String, _ parameters: StructuredParameters, _ headers: HTTPHeaders) throws -> String? {
        let values = headers.values(for: name)
        guard !values.isEmpty, parameters.all.count <= 1 else { return nil }
        // Cookies contain commas, so that a line of several would be ambiguous.
        if name == "set-cookie", values.count > 1, parameters["bs"] == nil { return nil }
        switch parameters.all.first?.name {
        case nil: return values.map { String(Substring($0.utf8.trimmingBlanks)) }.joined(separator: ", ")
        case "bs":
            let items = values.map { StructuredMember.item(StructuredItem(.bytes(Data($0.utf8.trimmingBlanks)))) }
            return try items.fieldValue()
        case "key":
            guard let key = parameters["key"]?.text else { return nil }
            return try headers.structuredDictionary(name)[key]?.fieldValue()
        case "sf":
            if let item = try? headers.structuredItem(name) { return try item.fieldValue() }
            if let list = try? headers.structuredList(name) { return try list.fieldValue() }
            return try headers.structuredDictionary(name).fieldValue()
        default: return nil
        }
    }
}

extension SignatureBase.Message {
    var headers: HTTPHeaders {
        switch self {
        case .request(let request): request.headers
        case .response(let response, _): response.headers
        }
    }
}

extension StructuredItem {
    /// The name of a component.
    var name: String { value.text ?? "" }
}

extension ASCIISet {
    /// What a form does not encode.
    fileprivate static let form = alphanumerics.union(ASCIISet("*-._"))
}
