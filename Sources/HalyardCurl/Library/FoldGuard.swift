/// What keeps a response from beginning with a folded line, over a handle that has worked before.
///
/// Where ``CurlLibrary/keepsStaleFields``, libcurl would add such a line to a field that is no more. But while it is
/// verbose it shows each line before it makes anything of it, in the memory from which it then reads: there the blank
/// that makes the line a folded one is written over, and the response is refused. None may begin so (RFC 9112 section
/// 2.2), so libcurl is verbose for the line after each status line, and no longer.
///
/// Whether it does show that line, and there, is seen at each response: a handle over which it does not is not used
/// again.
struct FoldGuard {
    /// Whether the next line is to be shown.
    private(set) var isUp = false
    /// Whether the last line that was to be shown was, where it was handed over from afterwards.
    private(set) var isProven = false
    private var place: UnsafeMutableRawPointer?

    /// The line that comes next is the first after a status line.
    mutating func raise() { (isUp, place) = (true, nil) }

    /// Looks at a line that libcurl shows. Returns whether it was folded, which it then is no longer.
    mutating func unfold(_ line: UnsafeMutableRawBufferPointer) -> Bool {
        place = line.baseAddress
        guard isUp, let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") else {
            return false
        }
        line[0] = UInt8(ascii: ":")  // what follows is a field without a name
        return true
    }

    /// That line is handed over.
    mutating func lower(_ line: UnsafeRawBufferPointer) {
        isUp = false
        let isField = line.first != 0x0D && line.first != 0x0A
        if isField { isProven = line.baseAddress == UnsafeRawPointer(place) }
    }
}
