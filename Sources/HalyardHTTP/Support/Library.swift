/// What the library is called in what it writes.
package enum Library {
    package static let name = "Halyard"
    /// The version of the newest release in the changelog.
    package static let version = "0.1.0"
}
