extension Mirror {
    /// The mirror of a value that shows its description alone.
    package init(described value: some CustomStringConvertible) {
        self.init(value, children: ["description": value.description])
    }
}
