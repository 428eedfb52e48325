extension Mirror {
    /// Makes a mirror that shows only the value's description.
    ///
    /// `dump`, `String(reflecting:)`, debuggers and test failures walk through the fields of a value. A type that holds
    /// secrets shows its description instead.
    package init(described value: some CustomStringConvertible) {
        self.init(value, children: ["description": value.description])
    }
}
