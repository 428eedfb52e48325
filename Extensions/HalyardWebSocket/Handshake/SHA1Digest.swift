import HalyardHTTP

/// SHA-1 (FIPS 180-4). The handshake of WebSocket uses it as a checksum only, not for security.
enum SHA1Digest {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        let padded = message.padded(toBlocksOf: 64, end: (UInt64(message.count) &* 8).bigEndianBytes)
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
        for start in stride(from: 0, to: padded.count, by: 64) { mix(padded[start..<start + 64], into: &state) }
        return state.flatMap(\.bigEndianBytes)
    }

    private static func mix(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var words = (0..<16).map { word in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(block[block.startIndex + word * 4 + $1]) }
        }
        for index in 16..<80 {
            words.append((words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]).rotatedLeft(1))
        }
        var work = state
        for index in 0..<80 {
            let (b, c, d) = (work[1], work[2], work[3])
            let (function, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5a82_7999)
                case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case ..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = work[0].rotatedLeft(5) &+ function &+ work[4] &+ constant &+ words[index]
            work = [next, work[0], b.rotatedLeft(30), c, d]
        }
        for index in state.indices { state[index] &+= work[index] }
    }
}

extension UInt32 {
    fileprivate func rotatedLeft(_ count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
