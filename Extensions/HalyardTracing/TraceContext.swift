import HalyardHTTP

/// The place of a request in a distributed trace, as defined by the W3C recommendation Trace Context.
///
/// A server that receives a request with a `traceparent` header creates the context for the requests that it sends:
///
/// ```swift
/// let context = TraceContext(traceparent: incoming["traceparent"] ?? "", tracestate: incoming["tracestate"])
/// try await TraceContext.$current.withValue(context ?? .random()) {
///     let user: User = try await api.request(.me).object()  // carries the same trace ID
/// }
/// ```
public struct TraceContext: Sendable, Hashable {
    /// The context of the current task and its child tasks; `nil` if there is none.
    @TaskLocal public static var current: TraceContext?

    /// The ID of the whole trace: 32 lowercase hexadecimal digits that are not all zero.
    public let traceID: String
    /// The ID of one operation in it, such as a request: 16 lowercase hexadecimal digits that are not all zero.
    public let spanID: String
    /// Whether the caller may have recorded the trace.
    public var isSampled: Bool
    /// Whether a part of the trace ID is random, as level 2 of the recommendation says.
    private let isRandom: Bool
    /// The value of the `tracestate` header: values of tracing systems, as they were received. Empty if there are none.
    public let state: String

    /// Returns a new trace with random IDs.
    ///
    /// - Parameter isSampled: Whether the trace is recorded. Defaults to `true`.
    public static func random(isSampled: Bool = true) -> TraceContext {
        TraceContext(
            traceID: hexadecimal(.random(in: 0 ... .max)) + nonzero(), spanID: nonzero(), isSampled: isSampled,
            isRandom: true, state: "")
    }

    /// Returns the context of an operation within this one, with the same trace and state and a new span ID.
    public func child() -> TraceContext {
        TraceContext(
            traceID: traceID, spanID: Self.nonzero(), isSampled: isSampled, isRandom: isRandom, state: state)
    }

    private static func nonzero() -> String { hexadecimal(.random(in: 1 ... .max)) }

    private static func hexadecimal(_ number: UInt64) -> String { number.bigEndianBytes.hexadecimal }
}

extension TraceContext {
    /// Creates a context from the headers of a request.
    ///
    /// An invalid `tracestate` is ignored, as the recommendation requires.
    ///
    /// - Parameters:
    ///   - traceparent: The value of the `traceparent` header, of version 00 or later.
    ///   - tracestate: The value of the `tracestate` header. Join several headers with commas. Defaults to none.
    /// - Returns: The context; `nil` if `traceparent` is invalid.
    public init?(traceparent: String, tracestate: String? = nil) {
        let text = Array(traceparent.utf8)
        let dash = UInt8(ascii: "-")
        guard text.count >= 55, text[2] == dash, text[35] == dash, text[52] == dash else { return nil }
        // Later versions may add fields after another hyphen.
        guard text.count == 55 || (text[55] == dash && text[..<2] != [UInt8(ascii: "0"), UInt8(ascii: "0")]) else {
            return nil
        }
        guard let version = Self.field(text[..<2]), version != "ff", let trace = Self.field(text[3..<35]),
            let span = Self.field(text[36..<52]),
            let flags = Self.field(text[53..<55]).flatMap({ UInt8($0, radix: 16) }),
            trace.contains(where: { $0 != "0" }), span.contains(where: { $0 != "0" })
        else { return nil }
        self.init(
            traceID: trace, spanID: span, isSampled: flags & 1 != 0, isRandom: flags & 2 != 0,
            state: tracestate.flatMap(Self.validState) ?? "")
    }

    /// The value of the `traceparent` header, in version 00.
    public var traceparent: String { "00-\(traceID)-\(spanID)-0\((isSampled ? 1 : 0) + (isRandom ? 2 : 0))" }

    private static func field(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy(ASCIISet("0123456789abcdef").contains) ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Returns a state of at most 32 members and 8192 bytes, whose keys and values have the characters that they may.
    private static func validState(_ text: String) -> String? {
        let members = text.split(separator: ",").map { Substring($0.utf8.trimmingBlanks) }.filter { !$0.isEmpty }
        guard members.count <= 32, text.utf8.count <= 8192, members.allSatisfy(isValidMember) else { return nil }
        return members.joined(separator: ",")
    }

    private static func isValidMember(_ member: Substring) -> Bool {
        guard let equals = member.firstIndex(of: "=") else { return false }
        let (key, value) = (member[..<equals].utf8, member[equals...].utf8.dropFirst())
        let isKey = key.allSatisfy(ASCIISet("abcdefghijklmnopqrstuvwxyz0123456789_-*/@").contains)
        let isValue = value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
        return isKey && isValue && (1...256).contains(key.count) && (1...256).contains(value.count)
    }
}
