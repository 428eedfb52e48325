import HalyardFoundation
import HalyardHTTP

/// Parses a stream of server-sent events (WHATWG HTML, section 9.2.6).
///
/// It reads bytes, which may be split anywhere, and decodes a field when it is complete.
struct EventParser {
    private var lines = LineSplitter(endsAtReturn: true)

    // The fields of the event that is being read. Each line of data ends with LF.
    private var data: [UInt8] = []
    private var name = ""
    private var retry: Duration?
    private var pendingID: String?

    /// The last event ID, for `Last-Event-ID`. `nil` if the server has set none, or an empty one.
    private(set) var lastID: String?
    /// The reconnection time that the server has set. `nil` if it has set none.
    private(set) var reconnectionTime: Duration?

    /// The maximum number of bytes of an event: its data, its name, and the line that is being read.
    private let limit: Int
    /// Whether an event, or a line, is larger than the limit. There are no more events then.
    private(set) var exceedsLimit = false

    init(limit: Int = .max, lastID: String? = nil) {
        self.limit = limit
        (self.lastID, pendingID) = (lastID, lastID)
    }

    /// Begins a new stream: drops an incomplete event, and keeps what applies to all connections.
    mutating func restart() {
        var next = EventParser(limit: limit)
        (next.lastID, next.pendingID, next.reconnectionTime) = (lastID, lastID, reconnectionTime)
        self = next
    }

    mutating func append(_ chunk: Data) { lines.append(chunk) }

    /// Returns the next complete event; `nil` if more bytes are needed. An event that the end of the stream cuts off is
    /// never returned.
    mutating func next() -> ServerSentEvent? {
        if exceedsLimit { return nil }
        while let line = lines.next() {
            guard fits(line.count) else { return nil }
            if !line.isEmpty {
                read(line)
            } else if let event = complete() {
                return event
            }
        }
        _ = fits(lines.pending)
        return nil
    }

    /// Checks that the event and a line of it, or the start of a line, fit into the limit.
    private mutating func fits(_ count: Int) -> Bool {
        if count > limit - data.count - name.utf8.count { exceedsLimit = true }
        return !exceedsLimit
    }

    /// Reads a line that is not empty: a field or a comment.
    private mutating func read(_ line: ArraySlice<UInt8>) {
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[colon...].dropFirst()
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        switch Field(line[..<colon]) {
        case .data:
            data += value
            data.append(.lineFeed)
        case .event: name = String(decoding: value, as: UTF8.self)
        case .id where !value.contains(0): pendingID = String(decoding: value, as: UTF8.self)
        case .retry:
            guard let time = Self.milliseconds(value) else { return }
            (retry, reconnectionTime) = (time, time)
        case .id, nil: return
        }
    }

    /// Returns a number of milliseconds that consists of digits; at most a day.
    private static func milliseconds(_ digits: ArraySlice<UInt8>) -> Duration? {
        guard !digits.isEmpty, digits.allSatisfy(ASCIISet.digits.contains) else { return nil }
        let day = 86_400_000
        let number = digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), day) }
        return .milliseconds(number)
    }

    /// Ends the event that was being read. Returns `nil` if it has no data.
    private mutating func complete() -> ServerSentEvent? {
        if let pendingID { lastID = pendingID.isEmpty ? nil : pendingID }
        defer {
            data.removeAll(keepingCapacity: data.count < 64 << 10)
            name = ""
            retry = nil
        }
        guard !data.isEmpty else { return nil }
        return ServerSentEvent(
            data: String(decoding: data.dropLast(), as: UTF8.self), name: name.isEmpty ? "message" : name, id: lastID,
            retry: retry)
    }

    private enum Field {
        case data, event, id, retry

        /// Returns `nil` for an unknown name, and for a comment, whose name is empty.
        init?(_ name: ArraySlice<UInt8>) {
            switch name.count {
            case 4 where name.elementsEqual("data".utf8): self = .data
            case 5 where name.elementsEqual("event".utf8): self = .event
            case 5 where name.elementsEqual("retry".utf8): self = .retry
            case 2 where name.elementsEqual("id".utf8): self = .id
            default: return nil
            }
        }
    }
}

extension UInt8 {
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}
