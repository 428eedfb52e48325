import HalyardFoundation

/// Writes the frames of a client, which are masked (RFC 6455 sections 5.2 and 5.3).
enum FrameWriter {
    /// Returns a message as one frame.
    ///
    /// - Parameters:
    ///   - payload: The bytes. A control frame has at most 125.
    ///   - key: The masking key. Defaults to random bytes, which the server cannot predict.
    static func frame(
        _ opcode: Opcode, _ payload: UnsafeRawBufferPointer, key: UInt32 = .random(in: .min ... .max)
    ) -> [UInt8] {
        let size = headerSize(of: payload.count)
        return [UInt8](unsafeUninitializedCapacity: size + payload.count) { buffer, filled in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            bytes[0] = 0x80 | opcode.rawValue
            switch payload.count {
            case ..<126: bytes[1] = 0x80 | UInt8(payload.count)
            case ..<65536:
                bytes[1] = 0x80 | 126
                bytes.storeBytes(of: UInt16(payload.count).bigEndian, toByteOffset: 2, as: UInt16.self)
            default:
                bytes[1] = 0x80 | 127
                bytes.storeBytes(of: UInt64(payload.count).bigEndian, toByteOffset: 2, as: UInt64.self)
            }
            bytes.storeBytes(of: key, toByteOffset: size - 4, as: UInt32.self)
            mask(payload, key, into: UnsafeMutableRawBufferPointer(rebasing: bytes[size...]))
            filled = size + payload.count
        }
    }

    static func frame(_ opcode: Opcode, _ payload: some Sequence<UInt8>) -> [UInt8] {
        let result = payload.withContiguousStorageIfAvailable { frame(opcode, UnsafeRawBufferPointer($0)) }
        return result ?? Array(payload).withUnsafeBytes { frame(opcode, $0) }
    }

    static func frame(_ message: WebSocketMessage) -> [UInt8] {
        switch message {
        case .text(var text): text.withUTF8 { frame(.text, UnsafeRawBufferPointer($0)) }
        case .binary(let data): data.withUnsafeBytes { frame(.binary, $0) }
        }
    }

    /// Returns a close frame. Without a code it has no payload.
    static func close(_ code: WebSocketCloseCode?, reason: String = "") -> [UInt8] {
        guard let code else { return frame(.close, []) }
        return frame(.close, [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xFF)] + Array(reason.utf8))
    }

    private static func headerSize(of count: Int) -> Int { count < 126 ? 6 : count < 65536 ? 8 : 14 }

    /// Copies bytes combined with the key by exclusive or, eight at a time.
    private static func mask(
        _ source: UnsafeRawBufferPointer, _ key: UInt32, into target: UnsafeMutableRawBufferPointer
    ) {
        let wide = UInt64(key) << 32 | UInt64(key)
        let words = source.count / 8
        for word in 0..<words {
            let value = source.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) ^ wide
            target.storeBytes(of: value, toByteOffset: word * 8, as: UInt64.self)
        }
        withUnsafeBytes(of: key) { key in
            for index in words * 8..<source.count { target[index] = source[index] ^ key[index % 4] }
        }
    }
}
