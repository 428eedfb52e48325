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
        var seen: Set<ComponentIdentity> = []
        for component in components {
            guard seen.insert(component.identity).inserted, let value = value(of: component),
                value.utf8.allSatisfy({ 0x20...0x7E ~= $0 || $0 == 9 })
            else { throw MessageSignatureError.unknownComponent(component.text) }
            lines.append("\(try component.fieldValue()): \(value)")
        }
        lines.append("\"@signature-params\": \(try StructuredMember.innerList(components, parameters).fieldValue())")
        return Data(lines.joined(separator: "\n").utf8)
    }

    /// The value of a component. `nil` if there is none, or for one that is not known.
    private func value(of component: StructuredItem) -> String? {
        let name = component.name
        guard case .string = component.value, name == name.lowercased() else { return nil }
        var (parameters, message) = (component.parameters, message)
        if component.isOfRequest {
            guard case .response(_, let request?) = message else { return nil }
            message = .request(request)
            parameters["req"] = nil
        }
        guard name.hasPrefix("@") else { return field(name, parameters, message.headers) }
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
        let text = request.address.text.prefix { $0 != "#" }
        let parts = URLParts(String(text))
        // As the server can read them: with a path, and without the port of the scheme.
        let host = request.headers["Host"].map { URLParts("\(parts.scheme)://\($0)").host } ?? parts.host
        let path = parts.path.isEmpty ? "/" : parts.path
        let target = text.contains("?") ? "\(path)?\(parts.query)" : path
        switch name {
        case "@method": return request.method.rawValue
        case "@target-uri": return "\(parts.scheme)://\(host)\(target)"
        case "@authority": return host
        case "@scheme": return parts.scheme
        case "@request-target": return target
        case "@path": return path
        case "@query": return "?" + parts.query
        default: return nil
        }
    }

    /// The value of a parameter of the query, which must be there once (section 2.2.8).
    private func query(_ parameters: StructuredParameters, _ request: HTTPRequest) -> String? {
        guard parameters.all.count == 1, case .string(let name) = parameters["name"] else { return nil }
        let pairs = URLParts(String(request.address.text)).query.split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.utf8.percentDecoded(plusIsSpace: true).percentEncoded(keeping: .form)
            }
        }
        let found = pairs.filter { $0[0] == name }
        return found.count == 1 ? found[0].dropFirst().first ?? "" : nil
    }

    /// The value of a header (section 2.1).
    private func field(_ name: String, _ parameters: StructuredParameters, _ headers: HTTPHeaders) -> String? {
        let values = headers.values(for: name).map { String(Substring($0.utf8.trimmingBlanks)) }
        guard !values.isEmpty, parameters.all.count <= 1 else { return nil }
        // Cookies contain commas, so that a line of several would be ambiguous.
        if name == "set-cookie", values.count > 1, parameters["bs"] == nil { return nil }
        switch (parameters.all.first?.name, parameters.all.first?.value) {
        case (nil, _): return values.joined(separator: ", ")
        case ("bs", true):
            // The bytes of other text are not known.
            guard values.allSatisfy({ $0.utf8.allSatisfy { $0 < 128 } }) else { return nil }
            return try? values.map { .item(StructuredItem(.bytes(Data($0.utf8)))) }.fieldValue()
        case ("key", .string(let key)): return try? headers.structuredDictionary(name)[key]?.fieldValue()
        case ("sf", true):
            if let item = try? headers.structuredItem(name) { return try? item.fieldValue() }
            if let list = try? headers.structuredList(name) { return try? list.fieldValue() }
            return try? headers.structuredDictionary(name).fieldValue()
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

/// What makes two components the same: the order of their parameters does not (section 2).
struct ComponentIdentity: Hashable {
    let value: StructuredValue
    let parameters: Set<StructuredParameters.Member>
}

extension StructuredItem {
    /// The name of a component.
    var name: String { value.text ?? "" }
    /// The component as it is written, for errors.
    var text: String { parameters.all.isEmpty ? name : (try? fieldValue()) ?? name }
    var identity: ComponentIdentity { ComponentIdentity(value: value, parameters: Set(parameters.all)) }
    /// Whether it is a component of the request that a response answers (section 2.4).
    var isOfRequest: Bool { parameters["req"] == true }
}

extension ASCIISet {
    /// What a form does not encode.
    fileprivate static let form = alphanumerics.union(ASCIISet("*-._"))
}
