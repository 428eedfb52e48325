/// What servers of the tests give as JSON.
package struct User: Codable, Sendable, Equatable {
    package var id: String
    package var name: String

    package init(id: String, name: String) { (self.id, self.name) = (id, name) }
}
