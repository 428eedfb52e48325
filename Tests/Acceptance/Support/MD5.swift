import Foundation

/// MD5 (RFC 1321), for a test's own digest.
enum MD5 {
    private static let shifts: [UInt32] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]].flatMap {
        Array(repeating: $0, count: 4).flatMap { $0 }
    }
    private static let sines: [UInt32] = (0..<64).map { UInt32(abs(sin(Double($0 + 1))) * 4_294_967_296) }

    static func hex(_ text: String) -> String {
        var message = Array(text.utf8) + [0x80]
        message += Array(repeating: 0, count: (120 - message.count % 64) % 64)
        message += (0..<8).map { UInt8(truncatingIfNeeded: (text.utf8.count * 8) >> ($0 * 8)) }
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
        for start in stride(from: 0, to: message.count, by: 64) {
            let words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 | UInt32(message[start + word * 4 + $1]) << UInt32($1 * 8) }
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            for round in 0..<64 {
                let (mix, index) =
                    switch round / 16 {
                    case 0: ((b & c) | (~b & d), round)
                    case 1: ((d & b) | (~d & c), (5 * round + 1) % 16)
                    case 2: (b ^ c ^ d, (3 * round + 5) % 16)
                    default: (c ^ (b | ~d), 7 * round % 16)
                    }
                let sum = a &+ mix &+ sines[round] &+ words[index]
                (a, d, c) = (d, c, b)
                b = b &+ (sum << shifts[round] | sum >> (32 - shifts[round]))
            }
            state = zip(state, [a, b, c, d]).map { $0 &+ $1 }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
