import Halyard

/// What is generated of a document. Empty lists choose everything.
package struct Selection: Sendable {
    package var tags: [String] = []
    package var operations: [String] = []
    package var paths: [String] = []

    package init() {}

    var isEmpty: Bool { tags.isEmpty && operations.isEmpty && paths.isEmpty }

    func includes(_ operation: Node, _ path: String) -> Bool {
        isEmpty || paths.contains(path) || operation["operationId"].string.map(operations.contains) == true
            || operation["tags"].strings.contains(where: tags.contains)
    }

    /// Throws ``DocumentError`` for a name that no operation has.
    func check(_ operations: [(path: String, node: Node)]) throws(DocumentError) {
        let known: [(word: String, wanted: [String], names: Set<String>)] = [
            ("tag", tags, Set(operations.flatMap { $0.node["tags"].strings })),
            ("ID", self.operations, Set(operations.compactMap { $0.node["operationId"].string })),
            ("path", paths, Set(operations.map(\.path))),
        ]
        for (word, wanted, names) in known {
            guard let unknown = wanted.first(where: { !names.contains($0) }) else { continue }
            throw DocumentError("/paths", "no operation has the \(word) \"\(unknown)\"")
        }
    }
}
