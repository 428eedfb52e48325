extension Duration {
    /// The duration in seconds.
    package var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }

    /// The duration in whole nanoseconds, at most 2^33 seconds in either direction.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit: Int64 = 1 << 33
        return min(limit, max(-limit, seconds)) * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
