extension String {
    /// Makes a text of valid UTF-8; `nil` for other bytes.
    ///
    /// The standard library's initializer needs macOS 15 and iOS 18.
    package init?(utf8 bytes: some Collection<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(comparing: bytes)
        }
    }

    /// The implementation for older systems. Decoding replaces invalid UTF-8 by U+FFFD, so the result differs from the
    /// bytes.
    init?(comparing bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
