package import Halyard

/// A value of an OpenAPI document with its place.
package struct Node: Sendable {
    package let json: JSON
    /// The JSON pointer of the value (RFC 6901), such as `/paths/~1pets/get`.
    package let pointer: String

    package subscript(name: String) -> Node { member(name, json[name]) }

    private func member(_ name: String, _ json: JSON) -> Node {
        let isPlain = !name.utf8.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
        let escaped = isPlain ? name : name.replacing("~", with: "~0").replacing("/", with: "~1")
        return Node(json: json, pointer: "\(pointer)/\(escaped)")
    }

    package var exists: Bool { !json.isNull }
    package var string: String? { json.string }
    package var bool: Bool { json.bool ?? false }

    /// The members of an object, in the document's order.
    package var members: [(name: String, node: Node)] {
        json.object.map { $0.map { ($0.key, member($0.key, $0.value)) } } ?? []
    }

    /// The elements of an array.
    package var elements: [Node] {
        (json.array ?? []).enumerated().map { Node(json: $1, pointer: "\(pointer)/\($0)") }
    }

    /// The strings of an array.
    package var strings: [String] { (json.array ?? []).compactMap(\.string) }

    /// The strings of an array, or a single one, as the types of a schema are written.
    package var words: [String] { string.map { [$0] } ?? strings }
}

/// A flaw that ends the generation: the place in the document, what is wrong, and the way out.
package struct DocumentError: Error, Equatable, CustomStringConvertible {
    package let pointer: String
    package let reason: String

    package init(_ pointer: String, _ reason: String) { (self.pointer, self.reason) = (pointer, reason) }

    package var description: String { "\(pointer.isEmpty ? "the document" : pointer): \(reason)" }
}
