package import HalyardFoundation

extension UUID {
    /// Makes a random UUID (version 4, RFC 9562 section 5.4).
    ///
    /// `UUID()` may need a descriptor for the system's random bytes. On Linux it is all zeros, and not unique, while
    /// the process has no free descriptor. The standard library's generator needs none.
    package static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (generator.next() as UInt64, generator.next() as UInt64)) { random in
            var bytes = random.loadUnaligned(as: uuid_t.self)
            bytes.6 = bytes.6 & 0x0F | 0x40
            bytes.8 = bytes.8 & 0x3F | 0x80
            return UUID(uuid: bytes)
        }
    }
}
