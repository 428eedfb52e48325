import HalyardFoundation
import HalyardHTTP

/// Reads the response to the opening handshake from bytes that arrive piece by piece.
struct ResponseReader: Sendable {
    /// The maximum number of bytes of the body of a response that is no 101.
    static let bodyLimit = 64 << 10
    private var reader = MessageReader(allowsBareLineFeeds: true)
    /// The number of bytes that heads may still have: those of interim responses and of the final one.
    private var headerRest: Int
    private let headerLimit: Int
    /// The body of a response that is no 101. It may explain the error, so its start is kept.
    private var content = MessageReader.Body(length: 0)

    /// The number of bytes after the final head, with the framing of chunks.
    private var received = 0

    private(set) var status = 0
    private(set) var headers = HTTPHeaders()
    private(set) var isHeadComplete = false

    /// Makes a reader. `headerLimit` is the maximum number of bytes of all heads together.
    init(headerLimit: Int) {
        self.headerLimit = headerLimit
        headerRest = headerLimit
    }

    /// What has arrived after the head of a 101: the first frames.
    var rest: [UInt8] { Array(reader.bytes) }

    /// The start of the body.
    var body: Data { content.data.prefix(Self.bodyLimit) }

    /// Adds bytes. Returns whether the response is complete: the head of a 101, or the whole of another response.
    /// Throws ``HTTPError`` of kind `invalidResponse` or `headersTooLarge`.
    mutating func add(_ bytes: Data) throws(HTTPError) -> Bool {
        reader.append(bytes)
        received += isHeadComplete ? bytes.count : 0
        while !isHeadComplete {
            guard let head = try nextHead() else { return false }
            headerRest -= head.size
            headers = head.headers
            try readStatus(head.startLine)
            // Other interim responses may precede the final one (RFC 9110 section 15.2).
            isHeadComplete = status >= 200 || status == 101
            if isHeadComplete { (content, received) = (framing, reader.bytes.count) }
        }
        if status == 101 { return true }
        // What cannot be read ends the body.
        do throws(MessageReader.Malformed) { if try content.read(&reader) { return true } } catch { return true }
        return received >= Self.bodyLimit
    }

    private mutating func nextHead() throws(HTTPError) -> MessageReader.Head? {
        do throws(MessageReader.Malformed) { return try reader.head(limit: headerRest) } catch {
            if error.isTooLarge { throw HTTPError(.headersTooLarge(limit: headerLimit)) }
            throw HTTPError(.invalidResponse, reason: error.reason)
        }
    }

    private mutating func readStatus(_ line: ArraySlice<UInt8>) throws(HTTPError) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard line.starts(with: "HTTP/1.".utf8), parts.count >= 2, parts[1].count == 3,
            parts[1].allSatisfy(ASCIISet.digits.contains)
        else { throw HTTPError(.invalidResponse, reason: "it does not begin with a status line of HTTP/1.1") }
        status = parts[1].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        guard status >= 100 else { throw HTTPError(.invalidResponse, reason: "the status is \(status)") }
    }

    private var framing: MessageReader.Body {
        if status == 204 || status == 304 { return MessageReader.Body(length: 0) }
        if headers["Transfer-Encoding"]?.lowercased().hasSuffix("chunked") ?? false { return .chunked }
        return MessageReader.Body(length: headers[.contentLength].flatMap { Int($0) }.map { max(0, $0) } ?? .max)
    }
}
