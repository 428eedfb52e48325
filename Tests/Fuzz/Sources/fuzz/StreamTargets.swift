import Foundation
import HalyardAsync

// The parsers of streams are internal. They are tested through a client whose transport returns the hostile text in
// chunks of any size. The result is then sent to the checker.

/// A transport that responds to every request with the same chunks.
private struct Chunked: Transport {
    let chunks: [Data]
    let headers: HTTPHeaders

    func send(_ request: HTTPRequest, context: TransferContext) async throws -> HTTPResponse {
        let body = AsyncStream<Data> { continuation in
            for chunk in chunks { continuation.yield(chunk) }
            continuation.finish()
        }
        return try await HTTPResponse(receiving: body, status: 200, headers: headers, for: request, context: context)
    }
}

private struct StreamAPI: HTTPProvider {
    let baseURL: URL
    let client: HTTPClient

    init(_ bytes: Data, _ headers: HTTPHeaders = [:], _ chance: inout Chance) {
        guard let url = URL(string: "http://a.example/b/c?d") else { fatalError() }
        var (chunks, rest) = ([Data](), bytes)
        while !rest.isEmpty {
            let count = chance.number(1..<(chance.oneIn(3) ? 3 : 40))
            chunks.append(Data(rest.prefix(count)))
            rest = Data(rest.dropFirst(count))
        }
        baseURL = url
        client = HTTPClient(transport: Chunked(chunks: chunks, headers: headers))
    }
}

extension Chance {
    /// Returns words of a grammar mixed with hostile bytes.
    fileprivate mutating func stream(_ words: [String], _ length: Range<Int>) -> Data {
        var data = Data()
        for _ in 0..<number(length) {
            if oneIn(20) {
                data += bytes(number(0..<4))
            } else {
                data += Data((oneIn(8) ? text(0..<3) : words[number(0..<words.count)]).utf8)
            }
        }
        return data
    }
}

/// Server-sent events: the checker parses them by the standard's steps, and must find the same events.
@Sendable func fuzzEvents(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "data", "data:", "data: ", "id: ", "id", "event: ", "retry: ", "12", ":", " ", "a", "\n", "\n", "\r", "\r\n",
        "\n\n", "\r\r", "\u{FEFF}", "\0", "é",
    ]
    let bytes = chance.stream(words, 0..<60)
    let api = StreamAPI(bytes, ["Content-Type": "text/event-stream"], &chance)
    var events: [JSON] = []
    for try await event in api.request(Route(path: "")).events {
        events.append([
            "id": event.id.map { .string($0) } ?? .null, "name": .string(event.name), "data": .string(event.data),
            "retry": event.retry.map { .number(.init(Int($0 / .milliseconds(1)))) } ?? .null,
        ])
    }
    try await checker.expect(
        ["kind": "events", "bytes": .string(bytes.base64EncodedString()), "events": .array(events)],
        of: Route(path: "/p"))
}

/// `Link`: the checker parses it by the standard's algorithm, and must find the same targets and relation types.
@Sendable func fuzzLinks(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "<", ">", "</x>", "<#y[1]#>", "<?q=a,b;c>", "<//h.example/p>", "<http://b.example/>", ";", "; ", ",", ", ",
        "rel=", "rel",
        "=", "\"next\"", "next", "\"first prev\"", "REL=next", "title=\"a, <b>; \\\"\"", "anchor=\"#x\"", " ", "\t",
    ]
    var field = ""
    for _ in 0..<chance.number(0..<16) { field += words[chance.number(0..<words.count)] }
    let api = StreamAPI(Data(), ["Link": field], &chance)
    let response = try await api.request(Route(path: "")).response()
    let links = response.links.map { link -> JSON in
        ["url": .string(link.url.absoluteString), "relations": .array(link.relations.map { .string($0) })]
    }
    try await checker.expect(
        [
            "kind": "links", "base": .string(response.url.absoluteString), "field": .string(field),
            "links": .array(links),
        ],
        of: Route(path: "/p"))
}

/// JSON Lines, JSON text sequences, and the elements of a JSON array: the values before the first invalid text. The
/// checker's JSON parser must find the same values.
@Sendable func fuzzLines(_ chance: inout Chance, _ checker: Checker) async throws {
    let words = [
        "{\"a\":1}", "[1,2]", "[", "]", "{", "}", "\"x\"", "\"", "\\", "1", "-2.5e3", "true", "null", ",", ":", " ",
        "\"]\"", "\"a\":", "é",
    ]
    let (isArray, isSequence) = (chance.oneIn(3), chance.oneIn(2))
    let separators = ["\u{1E}", "\n\u{1E}", "\n\u{1E}", " \u{1E}", "\r\n\u{1E}\u{1E}", "\n"]
    let ends = isArray ? [","] : isSequence ? separators : ["\n", "\r\n", "\n\n"]
    var text = isArray ? "[" : isSequence ? "\u{1E}" : ""
    for index in 0..<chance.number(0..<8) {
        if index > 0 || !isArray { text += index == 0 ? "" : ends[chance.number(0..<ends.count)] }
        for _ in 0..<(chance.oneIn(3) ? 2 : 1) { text += words[chance.number(0..<words.count)] }
    }
    if isArray && !chance.oneIn(5) { text += "]" }
    let api = StreamAPI(Data(text.utf8), [:], &chance)
    let request = api.request(Route(path: ""))
    var (values, failed) = ([JSON](), false)
    do {
        if isArray {
            for try await value in request.elements(of: JSON.self) { values.append(value) }
        } else {
            for try await value in request.lines(of: JSON.self) { values.append(value) }
        }
    } catch let error as HTTPError where error == .decoding { failed = true }
    try await checker.expect(
        [
            "kind": isArray ? "elements" : isSequence ? "sequence" : "lines", "text": .string(text),
            "values": .array(values), "failed": .bool(failed),
        ], of: Route(path: "/p"))
}
