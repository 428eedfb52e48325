/// What a server does to the bytes of a response.
struct WireFault: Sendable {
    enum End: Sendable { case reset, stall, halfClose }

    /// The number of bytes of the head and the body before ``end``. `nil` for all.
    var byteCount: Int?
    var end = End.reset
    /// The number of bytes in a second. `nil` without a limit.
    var rate: Int?
}
