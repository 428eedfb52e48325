extension JSON {
    /// Returns whether arrays and objects are nested deeper than a limit. It does not recurse.
    package func isDeeper(than limit: Int) -> Bool {
        var level = [self]
        for _ in 0...limit {
            level = level.flatMap(\.children)
            if level.isEmpty { return false }
        }
        return true
    }

    private var children: [JSON] {
        switch self {
        case .array(let elements): elements
        case .object(let members): members.map(\.value)
        default: []
        }
    }
}
