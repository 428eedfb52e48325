import Halyard
package import HalyardFoundation
import HalyardHTTP

/// An OpenAPI document, 3.0 or 3.1, whose references are followed.
package struct OpenAPIDocument: Sendable {
    package let root: Node

    /// The number of bytes that a document may have.
    package static let limit = 64 << 20
    /// A command that converts a document, as YAML 1.2 has it: `no` is a text.
    private static let yamlCommand = """
        pip install ruamel.yaml && python3 -c 'import json, sys; from ruamel.yaml import YAML; \
        json.dump(YAML(typ="safe", pure=True).load(sys.stdin), sys.stdout, default=str)' < api.yaml > api.json
        """
    /// How many references may lead to each other, and how deep objects may include others.
    static let depthLimit = 200

    /// Reads a document. Throws ``DocumentError`` if it is not JSON, or not OpenAPI 3.0 or 3.1.
    package init(_ data: Data) throws(DocumentError) {
        guard data.count <= Self.limit else {
            throw DocumentError("", "it has more than the \(Self.limit) bytes that are read")
        }
        // RFC 8259 section 8.1: a byte order mark may be ignored.
        let data = data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
        do throws(JSON.ParseError) {
            root = Node(json: try JSON(parsing: Data(data)), pointer: "")
        } catch {
            let start = data.first { !" \n\r\t".utf8.contains($0) }
            if start == UInt8(ascii: "{") { throw DocumentError("", "it is not JSON: \(error)") }
            if data.prefix(4).contains(0) { throw DocumentError("", "it is not UTF-8. Convert it to UTF-8 first") }
            throw DocumentError("", "it is not a JSON object. Convert YAML to JSON first: \(Self.yamlCommand)")
        }
        guard root.json.object != nil else { throw DocumentError("", "it is not a JSON object") }
        if root["swagger"].exists {
            throw DocumentError(
                "/swagger", "Swagger \(root["swagger"].string ?? "2.0") is not read. Convert it to OpenAPI 3 first")
        }
        guard let version = root["openapi"].string else {
            let reason = root["openapi"].exists ? "must be a text, such as \"3.0.3\"" : "is missing"
            throw DocumentError("/openapi", "the version of OpenAPI \(reason)")
        }
        guard version.hasPrefix("3.0") || version.hasPrefix("3.1") else {
            throw DocumentError("/openapi", "OpenAPI \(version) is not read, only 3.0 and 3.1")
        }
    }

    /// Follows references until there is none. Throws ``DocumentError`` for one that leads nowhere, to another document,
    /// or in a circle.
    package func resolved(_ node: Node) throws(DocumentError) -> Node {
        var (node, seen) = (node, Set<String>())
        while let reference = node["$ref"].string {
            guard seen.insert(reference).inserted else {
                throw DocumentError(node.pointer, "\(reference) refers to itself")
            }
            guard seen.count < Self.depthLimit else {
                throw DocumentError(node.pointer, "more than \(Self.depthLimit) references lead to each other")
            }
            if reference == "#" { throw DocumentError(node.pointer, "# is the whole document, which is no schema") }
            guard reference.hasPrefix("#/") else {
                throw DocumentError(node.pointer, "\(reference) is outside the document. Bundle the documents first")
            }
            let target = self.node(at: String(decoding: reference.utf8.dropFirst().percentDecoded(), as: UTF8.self))
            guard target.exists else { throw DocumentError(node.pointer, "nothing is at \(reference)") }
            node = target
        }
        return node
    }

    /// The value at a JSON pointer (RFC 6901). It does not exist where the pointer leads nowhere.
    func node(at pointer: String) -> Node {
        guard pointer.hasPrefix("/") else { return root["nothing"] }
        var node = root
        for name in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init) {
            if let elements = node.json.array {
                guard let index = Int(name), elements.indices.contains(index) else { return node["nothing"] }
                node = Node(json: elements[index], pointer: "\(node.pointer)/\(index)")
            } else {
                node = node[name.replacing("~1", with: "/").replacing("~0", with: "~")]
            }
        }
        return node
    }
}
