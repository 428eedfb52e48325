/// An error code of HTTP/2 (RFC 9113 section 7), with its name.
struct HTTP2ErrorCode: CustomStringConvertible {
    let number: UInt32

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    var description: String {
        Self.names.indices.contains(Int(number)) ? "\(Self.names[Int(number)]) (\(number))" : "error \(number)"
    }

    /// Whether one side has found that the other breaks the protocol. libcurl reports what it finds itself with the
    /// same codes.
    var isViolation: Bool { [1, 3, 6, 9].contains(number) }
}
