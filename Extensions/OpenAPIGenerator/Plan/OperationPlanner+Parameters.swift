import Halyard

// Parameters in the path, the query, headers and cookies.
extension OperationPlanner {
    mutating func parameters(
        of operation: Node, _ item: Node, _ path: String, _ scope: String
    ) throws(DocumentError) -> [Plan.Parameter] {
        var names: Set<String> = ["body"]
        var parameters: [Plan.Parameter] = []
        for node in try parameterNodes(of: operation, item) {
            guard let name = node["name"].string, let place = node["in"].string else {
                throw DocumentError(node.pointer, "a parameter needs a name and a place")
            }
            guard let planned = Plan.Parameter.Place(rawValue: place) else {
                remark(node, "a parameter in \"\(place)\" is not known, and left out")
                continue
            }
            if planned == .path, !path.contains("{\(name)}") { continue }
            if planned != .path, schemas.changes.skip.contains(node.pointer) { continue }
            if planned == .header, ["accept", "content-type", "authorization"].contains(name.lowercased()) { continue }
            let argument = schemas.changes.names[node.pointer] ?? Names.member(name)
            let (type, style) = try self.type(of: node, planned, scope + Names.type(name))
            parameters.append(
                Plan.Parameter(
                    place: planned, name: name, argument: Names.unique(argument, &names), type: type, style: style,
                    isRequired: node["required"].bool || planned == .path,
                    summary: node["description"].string ?? node["schema"]["description"].string))
        }
        for name in path.placeholders where !parameters.contains(where: { $0.place == .path && $0.name == name }) {
            remark(operation, "its path has {\(name)}, which is no parameter. The argument is a String")
            parameters.append(
                Plan.Parameter(
                    place: .path, name: name, argument: Names.unique(Names.member(name), &names),
                    type: .plain("String"), isRequired: true))
        }
        return parameters.filter(\.isRequired) + parameters.filter { !$0.isRequired }
    }

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

    /// The type of an argument, and how its value is written.
    private mutating func type(
        of node: Node, _ place: Plan.Parameter.Place, _ name: String
    ) throws(DocumentError) -> (Plan.TypeName, Plan.Parameter.Style) {
        if let content = node["content"].members.first {
            remark(node, "its value is \(content.name). The argument is a String with the text of it")
            return (.plain("String"), .value)
        }
        let style = node["style"].string ?? (place == .query || place == .cookie ? "form" : "simple")
        if ["label", "matrix"].contains(style) {
            remark(node, "the style \(style) is not known. The argument is a String that you write in it")
            return (.plain("String"), .value)
        }
        // A union that is written in its place needs no type: the argument is a value of any of its types.
        if place == .query, !node["schema"]["$ref"].exists,
            case .union = try Schema(node["schema"], document).kind
        {
            return (.plain("any ParameterConvertible"), .value)
        }
        let type = try schemas.type(of: node["schema"], named: name).unwrapped
        let isObject =
            if case .dictionary = try Schema(document.resolved(node["schema"]), document).kind { true } else { false }
        if let single = singleType(type) { return (single, .value) }
        let isExploded = node["explode"].json.bool ?? (style == "form")
        let isQuery = place == .query && (isExploded || style == "deepObject")
        // The pairs of an object are one text in these styles.
        let isText = style == "simple" || style == "form" && !isExploded
        let joined = Plan.Parameter.Style.joinedMembers(style == "simple" && isExploded ? "=" : ",")
        switch type {
        case .array(let element):
            guard let element = singleType(element.unwrapped) else { break }
            if style == "deepObject" { return (.array(element), .indexed) }
            let separators = ["spaceDelimited": " ", "pipeDelimited": "|"]
            // A cookie with the same name twice would be read once.
            let isRepeated = isExploded && place == .query
            return (.array(element), isRepeated ? .value : .joined(separators[style] ?? ","))
        case .dictionary where isQuery, .plain("JSON") where isQuery && isObject:
            return (.plain("Parameters"), style == "deepObject" ? .value : .members)
        case .dictionary where isText, .plain("JSON") where isText && isObject:
            return (.plain("Parameters"), joined)
        case .model(let path) where isQuery && schemas.isObject(path):
            return (type, style == "deepObject" ? .object : .members)
        case .model(let path) where isText && schemas.isObject(path): return (type, joined)
        default: break
        }
        // A value of several types, or of any.
        if place == .query { return (.plain("any ParameterConvertible"), .value) }
        remark(node, "its value is no text and no list of texts. The argument is a String that you write")
        return (.plain("String"), .value)
    }

    /// The type of an argument that is a single text, or `nil` for another type.
    private func singleType(_ type: Plan.TypeName) -> Plan.TypeName? {
        switch type {
        case .plain("Date"): .plain("ISO8601Date")
        case .plain("Data"): .plain("String")
        case .plain("JSON"): nil
        case .plain: type
        case .model(let path) where schemas.isEnumeration(path): type
        default: nil
        }
    }
}

extension [Plan.Parameter] {
    /// If all lists of the query have a style that the encoding of the route knows, it writes them. Returns the style.
    mutating func arrays() -> Plan.Arrays {
        let lists = indices.filter { self[$0].place == .query && self[$0].type.isList }
        let styles: [(Plan.Parameter.Style, Plan.Arrays)] = [(.joined(","), .commas), (.indexed, .indexed)]
        for (style, arrays) in styles where !lists.isEmpty && lists.allSatisfy({ self[$0].style == style }) {
            for index in lists { self[index].style = .value }
            return arrays
        }
        return .repeated
    }
}

extension Plan.TypeName {
    fileprivate var isList: Bool { if case .array = self { true } else { false } }
}

extension String {
    /// The names in braces.
    fileprivate var placeholders: [String] {
        split(separator: "{", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            part.firstIndex(of: "}").map { String(part[..<$0]) }
        }
    }
}
