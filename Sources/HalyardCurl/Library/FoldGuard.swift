/// Rejects a response that begins with a folded header line, on an easy handle that was used before.
///
/// Where ``CurlLibrary/keepsStaleHeaderPointer`` is `true`, libcurl would append such a line to a header field that has
/// been freed. In verbose mode libcurl shows each header line to the debug callback before it parses the line, in the
/// memory that it parses. There the leading blank, which marks the line as folded, is overwritten, and the transfer
/// fails. No response may begin with a folded line (RFC 9112 section 2.2). Verbose mode is on only for the line after
/// each status line.
///
/// For each response the guard verifies that libcurl did show the line, and at the address that it parsed. A handle for
/// which this is not so is not used again.
struct FoldGuard {
    /// Whether the next header line is the first after a status line.
    private(set) var isArmed = false
    /// Whether the last guarded line was shown to the debug callback at the address of the line that was parsed.
    private(set) var isVerified = false
    private var shownAddress: UnsafeMutableRawPointer?

    /// Guards the next header line, which is the first after a status line.
    mutating func arm() { (isArmed, shownAddress) = (true, nil) }

    /// Inspects a line in the debug callback, and removes the mark of a folded line. Returns whether the line was a
    /// folded first line.
    mutating func neutralizeFold(_ line: UnsafeMutableRawBufferPointer) -> Bool {
        shownAddress = line.baseAddress
        guard isArmed, let first = line.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") else {
            return false
        }
        line[0] = UInt8(ascii: ":")  // The line is now a field without a name.
        return true
    }

    /// Ends the guard when libcurl delivers the guarded line to the header callback.
    mutating func disarm(_ line: UnsafeRawBufferPointer) {
        isArmed = false
        // A response without header fields proves nothing.
        let isField = line.first != 0x0D && line.first != 0x0A
        if isField { isVerified = line.baseAddress == UnsafeRawPointer(shownAddress) }
    }
}
