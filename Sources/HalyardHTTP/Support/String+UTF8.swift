extension String {
    /// The text of bytes that are UTF-8; nil when they are not.
    ///
    /// The standard library's own initializer needs macOS 15 and iOS 18.
    package init?(utf8 bytes: some Collection<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(comparing: bytes)
        }
    }

    /// The same on older systems: a decoder puts U+FFFD for what is no UTF-8, which then differs from the bytes.
    init?(comparing bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}
