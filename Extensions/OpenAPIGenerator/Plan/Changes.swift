import Halyard
package import HalyardFoundation

/// What a file beside the document changes of the plan, by JSON pointers into the document:
///
/// ```json
/// {
///   "names": {"/components/schemas/simple-user": "User", "/paths/~1users/get": "all"},
///   "types": {"/components/schemas/user/properties/id": "UserID"},
///   "skip": ["/paths/~1admin/delete"]
/// }
/// ```
package struct Changes: Sendable {
    /// The names of schemas, properties, operations and parameters.
    let names: [String: String]
    /// The types in place of schemas, which the program declares.
    let types: [String: String]
    /// The operations, properties and optional parameters to leave out.
    let skip: Set<String>

    package init() { (names, types, skip) = ([:], [:], []) }

    /// Reads the file. Throws ``DocumentError`` for a member that is not known or has no valid value, and for a pointer
    /// that leads nowhere.
    package init(_ data: Data, for document: OpenAPIDocument) throws(DocumentError) {
        let root: Node
        do throws(JSON.ParseError) {
            root = Node(json: try JSON(parsing: data), pointer: "the file of changes, ")
        } catch {
            throw DocumentError("the file of changes", "it is not JSON: \(error)")
        }
        for (name, node) in root.members where !["names", "types", "skip"].contains(name) {
            throw DocumentError(node.pointer, "a file of changes has names, types and skip, but not this")
        }
        names = try Self.texts(root["names"])
        types = try Self.texts(root["types"])
        skip = Set(root["skip"].strings)
        for (pointer, name) in names where !Names.isIdentifier(name) {
            throw DocumentError(
                root["names"].pointer, "\"\(name)\", the name for \(pointer), is not an identifier of Swift")
        }
        for pointer in Set(names.keys).union(types.keys).union(skip).sorted() where !document.node(at: pointer).exists {
            throw DocumentError(pointer, "the file of changes names it, but nothing is there")
        }
        for pointer in names.keys.sorted() where !pointer.isOperation && !pointer.isMember && !pointer.isSchema {
            throw DocumentError(pointer, "only schemas, properties, operations and parameters can have another name")
        }
        for pointer in skip.sorted() where !pointer.isOperation && !pointer.isMember {
            throw DocumentError(pointer, "only operations, properties and parameters can be skipped")
        }
    }

    private static func texts(_ node: Node) throws(DocumentError) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, value) in node.members {
            guard let text = value.string else { throw DocumentError(value.pointer, "it must be a text") }
            texts[name] = text
        }
        return texts
    }
}

extension String {
    private var parts: [Substring] { split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(\.self) }

    /// Whether a pointer is that of an operation.
    fileprivate var isOperation: Bool { parts.count == 3 && ["paths", "webhooks"].contains(parts[0]) }

    /// Whether a pointer is that of a property or a parameter.
    fileprivate var isMember: Bool {
        let parts = parts
        return parts.count > 2 && ["properties", "parameters"].contains(parts[parts.count - 2])
    }

    /// Whether a pointer is that of a schema with a name.
    fileprivate var isSchema: Bool { parts.count == 3 && parts[0] == "components" && parts[1] == "schemas" }
}
