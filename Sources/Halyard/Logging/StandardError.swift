import HalyardSystem

package enum StandardError {
    /// Writes a text as a whole, so that texts of several threads do not mix.
    package static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = systemWrite(UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
            }
        }
    }

    private static func systemWrite(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(2, bytes.baseAddress, bytes.count)
        #elseif canImport(Glibc)
            Glibc.write(2, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
            Musl.write(2, bytes.baseAddress, bytes.count)
        #elseif canImport(Android)
            Android.write(2, bytes.baseAddress, bytes.count)
        #else
            0
        #endif
    }
}
