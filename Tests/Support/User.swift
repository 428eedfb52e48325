/// The type of the JSON objects that the test servers send.
package struct User: Codable, Sendable, Equatable {
    package var id: String
    package var name: String

    package init(id: String, name: String) { (self.id, self.name) = (id, name) }
}
