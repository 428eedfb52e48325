import HalyardFoundation
import HalyardHTTP

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
        return Array(bytes).split(separator: Array("--\(boundary)".utf8)).flatMap(parts)
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

    /// Returns the value of a part of a multipart form, and the values in it if it is JSON.
    private static func parts(_ part: ArraySlice<UInt8>) -> [BodyMember] {
        guard let blank = part.firstRange(of: Array("\r\n\r\n".utf8)) else { return [] }
        let head = String(decoding: part[..<blank.lowerBound], as: UTF8.self)
        let name = head.firstRange(of: "name=\"").map { String(head[$0.upperBound...].prefix { $0 != "\"" }) } ?? ""
        let type = head.firstRange(of: "Content-Type: ").map { head[$0.upperBound...].prefix { !$0.isNewline } }
        let content = part[blank.upperBound...].dropLast(2)
        guard let type else { return [BodyMember(name: name, value: String(decoding: content, as: UTF8.self))] }
        return all(in: Data(content), of: String(type).mediaType, name: name)
    }
}
