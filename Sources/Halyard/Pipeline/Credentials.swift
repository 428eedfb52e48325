import HalyardFoundation
import HalyardHTTP

/// What an authenticator added to a request, whatever the names of the fields and parameters. It is removed when an
/// interceptor then changes the URL to another origin, and when a redirect that repeats it leads there. It has no side
/// effects.
struct AddedCredentials: Sendable {
    private let fields: [HTTPHeaders.Field]
    /// The pairs of the query, decoded.
    private let pairs: [String]
    private let body: [Data]
    /// The path with its credentials. `nil` if the authenticator did not change the path.
    private let path: String?

    /// Compares a request before and after the authenticator.
    init(_ request: HTTPRequest, authenticated: HTTPRequest) {
        fields = authenticated.headers.filter { field in !request.headers.contains { $0 == field } }
        let (text, authenticatedText) = (request.address.text, authenticated.address.text)
        if text == authenticatedText {
            (pairs, path) = ([], nil)
        } else {
            let before = Redaction.pairs(ofURL: text)
            pairs = Redaction.pairs(ofURL: authenticatedText).filter { !before.contains($0) }
            let newPath = authenticated.url.path
            path = newPath == request.url.path ? nil : newPath
        }
        let before = request.body?.bytesInMemory ?? []
        body = authenticated.body?.bytesInMemory.filter { !before.contains($0) } ?? []
    }

    /// Returns a request without the credentials. Throws ``HTTPError`` of kind `foreignSecrets` if they are in the path
    /// or in the body, from which they cannot be removed.
    func removed(from request: HTTPRequest) throws(HTTPError) -> HTTPRequest {
        let isInBody = request.body?.bytesInMemory.contains(where: body.contains) ?? false
        guard !isInBody, path != request.url.path else {
            throw HTTPError(
                .foreignSecrets("\(request.origin)"),
                reason: "the authenticator has changed the \(isInBody ? "body" : "path")")
        }
        var request = request
        request.headers.removeAll(where: fields.contains)
        try request.removePairs(pairs)
        return request
    }
}

extension HTTPRequest {
    fileprivate mutating func removePairs(_ pairs: [String]) throws(HTTPError) {
        let text = Redaction.url(address.text, withoutPairs: pairs)
        if text != address.text { try setURL(ofText: text) }
    }

    /// Changes the URL to a text without the secrets that it had.
    mutating func setURL(ofText text: String) throws(HTTPError) {
        guard let url = URL(string: text) else { throw HTTPError(.invalidURL(text)) }
        try setURL(url)
    }
}

/// The names that make a value a credential when a request goes to another origin: few, and well known.
///
/// What a log masks is no measure. It masks every value that could be a secret, such as `session` or `pin`, and a user
/// may write such words.
struct CredentialNames {
    /// The names that the provider and its authenticator declare, without punctuation.
    private let declared: Set<String>

    init(_ declared: Set<String>) { self.declared = Set(declared.map(SecretNames.plain)) }

    /// Whether a header field holds a credential.
    func containsField(_ name: String) -> Bool {
        let name = SecretNames.plain(name)
        if Self.fields.contains(name) || declared.contains(name) { return true }
        return Self.fieldEnds.contains(where: name.hasSuffix) && !Self.harmlessEnds.contains(where: name.hasSuffix)
    }

    /// Whether a pair of a query or a form, a member of JSON or a part of a multipart form holds a credential. Of a
    /// nested name such as `user[password]` or `password[]` the last part counts.
    func containsMember(_ name: String) -> Bool {
        let last = name.split { "[].".contains($0) }.last { !$0.allSatisfy(\.isNumber) } ?? ""
        let names = [SecretNames.plain(String(last)), SecretNames.plain(name)]
        return names.contains { Self.members.contains($0) || declared.contains($0) }
    }

    private static let fields: Set<String> = [
        "authorization", "proxyauthorization", "cookie", "cookie2", "dpop", "ocpapimsubscriptionkey", "xfunctionskey",
    ]
    private static let fieldEnds = ["apikey", "authkey", "secretkey", "accesskey", "secret", "token", "signature"]
    private static let harmlessEnds = ["pagetoken", "continuationtoken"]
    private static let members: Set<String> = ["password", "clientsecret", "accesstoken", "refreshtoken"]
}

/// A value with a name in the body of a request.
struct BodyMember {
    /// Nested names are written as in a form: `user[password]`.
    let name: String
    let value: String

    /// The pair as in a query, decoded.
    var pair: String { "\(name)=\(value)" }

    /// Returns the texts and numbers of a body in memory that have names: in JSON, in a form and in a multipart form.
    /// Other texts have none.
    static func all(of request: HTTPRequest) -> [BodyMember] {
        let bytes = request.body?.bytesInMemory.reduce(into: Data()) { $0 += $1 } ?? Data()
        guard let boundary = request.headers.boundary else { return all(in: bytes, of: request.headers.mediaType) }
        return FormPart.all(in: Array(bytes), boundary: boundary).flatMap { part in
            part.type.map { all(in: Data(part.content), of: $0.mediaType, name: part.name) }
                ?? [BodyMember(name: part.name, value: String(decoding: part.content, as: UTF8.self))]
        }
    }

    private static func all(in bytes: Data, of type: String?, name: String = "") -> [BodyMember] {
        if type == "application/x-www-form-urlencoded" {
            let text = String(decoding: bytes, as: UTF8.self).replacing("#", with: "%23")
            return Redaction.pairs(ofURL: "?" + text).map(BodyMember.init)
        }
        guard type?.hasSuffix("json") ?? true, let text = String(utf8: bytes), let json = try? JSON(parsing: text)
        else { return [] }
        var found: [BodyMember] = []
        add(json, name, to: &found)
        return found
    }

    private init(name: String, value: String) { (self.name, self.value) = (name, value) }

    private init(pair: String) {
        let name = pair.prefix { $0 != "=" }
        self.init(name: String(name), value: String(pair.dropFirst(name.count + 1)))
    }

    private static func add(_ json: JSON, _ name: String, to found: inout [BodyMember]) {
        switch json {
        case .object(let members):
            for (key, value) in members { add(value, name.isEmpty ? key : "\(name)[\(key)]", to: &found) }
        case .array(let elements): for element in elements { add(element, name, to: &found) }
        case .string(let text): found.append(BodyMember(name: name, value: text))
        case .number: found.append(BodyMember(name: name, value: json.description))
        case .null, .bool: break
        }
    }
}
