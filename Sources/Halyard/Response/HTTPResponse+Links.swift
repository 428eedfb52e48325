public import HalyardFoundation
public import HalyardHTTP

extension HTTPResponse {
    /// A link of the `Link` header (RFC 8288).
    public struct Link: Sendable, Hashable {
        /// The target. A relative target is resolved against the URL of the response.
        public let url: URL
        /// The relation types in lowercase, such as `next`. Types that are URLs keep their case.
        public let relations: [String]
        /// The resource that the link is about, if it is not the response itself.
        public let anchor: URL?
        /// The other parameters, such as `title` and `type`. Names are in lowercase; of repeated names, the first
        /// counts. Values of names that end in `*` are decoded (RFC 8187) and stored under the name without `*`.
        public let parameters: [String: String]

        /// Returns whether the link is about the response and has a relation type. Case is ignored.
        public func isRelated(by relation: String) -> Bool {
            anchor == nil && relations.contains { $0.lowercased() == relation.lowercased() }
        }
    }

    /// The links of all `Link` headers, in order. A link that is malformed, or whose target is not a URL, is skipped.
    ///
    /// ```swift
    /// let next = response.links.first { $0.isRelated(by: "next") }?.url
    /// ```
    public var links: [Link] {
        headers.values(for: "Link").flatMap { LinkField.links(in: $0, base: address.text) }
    }

    /// Resolves a reference against the URL of the response.
    package func resolved(_ reference: String) -> String { Location.resolve(reference, against: address.text) }
}

/// Parses the value of a `Link` header field (RFC 8288 section 3 and appendix B.2). It has no side effects.
enum LinkField {
    /// Returns the links of a value. Parsing ends at the first text that is not a link.
    static func links(in value: String, base: String) -> [HTTPResponse.Link] {
        var (rest, links) = (value.utf8[...], [HTTPResponse.Link]())
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard rest.first == UInt8(ascii: "<"), let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
                return links
            }
            let target = Substring(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
            let parameters = parameters(&rest)
            if let link = link(to: target, parameters, base: base) { links.append(link) }
            // Another character than a comma here is an error of the server: the rest of this link is skipped.
            rest = rest.drop { $0 != UInt8(ascii: ",") }
        }
    }

    /// Removes the parameters of a link from the start: names in lower case, values without quotes.
    private static func parameters(_ rest: inout Substring.UTF8View) -> [(name: String, value: String)] {
        var parameters: [(String, String)] = []
        while true {
            let start = rest.drop(while: \.isBlank)
            guard start.first == UInt8(ascii: ";") else { return parameters }
            rest = start.dropFirst().drop(while: \.isBlank)
            let name = rest.prefix { !$0.isBlank && !ASCIISet.endOfName.contains($0) }
            rest = rest[name.endIndex...].drop(while: \.isBlank)
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest.removeFirst()
                value = rest.popParameterValue(before: .endOfValue)
            }
            if !name.isEmpty { parameters.append((Substring(name).lowercased(), value)) }
        }
    }

    private static func link(
        to target: Substring, _ parameters: [(name: String, value: String)], base: String
    ) -> HTTPResponse.Link? {
        func first(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

        guard let url = url(String(target), base: base) else { return nil }
        var anchor: URL?
        if let reference = first("anchor") {
            guard let context = self.url(reference, base: base) else { return nil }
            if context.absoluteString != base { anchor = context }
        }
        var others: [String: String] = [:]
        for (name, value) in parameters where name != "rel" && name != "anchor" {
            if name.hasSuffix("*") {
                // The extended form takes precedence over the plain one.
                if let text = String(extendedValue: value) { others[String(name.dropLast())] = text }
            } else if others[name] == nil {
                others[name] = value
            }
        }
        let relations = (first("rel") ?? "").split { $0 == " " || $0 == "\t" }
        return HTTPResponse.Link(
            url: url, relations: relations.map { $0.contains(":") ? String($0) : $0.lowercased() },
            anchor: anchor, parameters: others)
    }

    /// Resolves a reference. Its fragment is kept: it names a part of the target, or the part of the response that a
    /// link is about.
    private static func url(_ reference: String, base: String) -> URL? {
        URL(string: Location.resolve(reference, against: base) + Location.fragment(of: reference))
    }
}

extension ASCIISet {
    fileprivate static let endOfName = ASCIISet("=;,")
    fileprivate static let endOfValue = ASCIISet(";,")
}
