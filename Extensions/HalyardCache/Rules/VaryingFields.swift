import HalyardHTTP

/// The request header fields that a response depends on (RFC 9111 section 4.1), with the values of its request.
struct VaryingFields: Sendable, Hashable {
    private struct Field: Sendable, Hashable {
        let name: String
        /// `nil` if the request had no such field.
        let value: String?
    }

    private let fields: [Field]

    /// Reads the `Vary` of a response. `nil` if it is `*`: no other request can have the response.
    init?(_ response: HTTPHeaders, _ request: HTTPHeaders) {
        guard response.contains("Vary") else {
            fields = []
            return
        }
        let names = response.values(for: "Vary").flatMap { $0.split(separator: ",") }
            .map { String($0).filter { $0 != " " && $0 != "\t" }.lowercased() }.filter { !$0.isEmpty }
        if names.contains("*") { return nil }
        fields = Set(names).sorted().map { Field(name: $0, value: Self.value(of: $0, in: request)) }
    }

    /// Makes fields of names and values, as a store has kept them.
    init(_ pairs: [(name: String, value: String?)]) { fields = pairs.map { Field(name: $0.name, value: $0.value) } }

    /// The names and values, for a store.
    var pairs: [(name: String, value: String?)] { fields.map { ($0.name, $0.value) } }

    /// Whether a request has the same values.
    func match(_ request: HTTPHeaders) -> Bool {
        fields.allSatisfy { Self.value(of: $0.name, in: request) == $0.value }
    }

    /// The value in a form in which equal values are equal: in one line, without blanks beside separators, and in lower
    /// case where case has no meaning.
    private static func value(of name: String, in request: HTTPHeaders) -> String? {
        guard let value = request[name] else { return nil }
        var text: [UInt8] = []
        var isQuoted = false
        for byte in value.utf8 {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte.isBlank, !isQuoted, text.last.map(separators.contains) != false { continue }
            if separators.contains(byte), !isQuoted { while text.last?.isBlank == true { text.removeLast() } }
            text.append(byte)
        }
        let normal = String(decoding: text, as: UTF8.self)
        return caseless.contains(name) ? normal.lowercased() : normal
    }

    private static let separators = ASCIISet(",;=")
    private static let caseless: Set<String> = ["accept", "accept-charset", "accept-encoding", "accept-language"]
}
