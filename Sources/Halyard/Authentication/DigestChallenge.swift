#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import HalyardHTTP

/// A server's digest challenge (RFC 7616 section 3.3), and the answer to it. Pure.
struct DigestChallenge: Sendable, Hashable {
    enum Algorithm: String, Sendable {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        var isSHA: Bool { self == .sha256 || self == .sha256Session }
        var isOfSession: Bool { self == .md5Session || self == .sha256Session }

        func hash(_ text: String) -> String {
            let digest = isSHA ? SHA256Digest.hash(Array(text.utf8)) : MD5Digest.hash(Array(text.utf8))
            return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    let realm, nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// Whether the quality of protection `auth` is offered; else it is RFC 2069's.
    let hasAuth: Bool
    let isStale: Bool

    /// All challenges of a `WWW-Authenticate` field that can be answered.
    static func all(in field: String) -> [DigestChallenge] {
        AuthenticationField.challenges(in: field).compactMap { challenge in
            challenge.scheme.lowercased() == "digest" ? DigestChallenge(challenge.parameters) : nil
        }
    }

    private init?(_ parameters: [String: String]) {
        guard let realm = parameters["realm"], let nonce = parameters["nonce"] else { return nil }
        let name = parameters["algorithm"] ?? "MD5"
        let known: [Algorithm] = [.md5, .md5Session, .sha256, .sha256Session]
        guard let algorithm = known.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else { return nil }
        let qualities = parameters["qop"]?.lowercased().split { ", \t".contains($0) }
        guard qualities?.contains("auth") ?? true else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = parameters["opaque"]
        hasAuth = qualities != nil
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    /// The value of the `Authorization` field (sections 3.4.1 to 3.4.3).
    func answer(
        user: String, password: String, method: String, uri: String, clientNonce: String, count: Int
    ) -> String {
        var secret = algorithm.hash("\(user):\(realm):\(password)")
        if algorithm.isOfSession { secret = algorithm.hash("\(secret):\(nonce):\(clientNonce)") }
        let digits = String(count, radix: 16)
        let number = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let quality = hasAuth ? ":\(number):\(clientNonce):auth" : ""
        let response = algorithm.hash("\(secret):\(nonce)\(quality):\(algorithm.hash("\(method):\(uri)"))")

        var parts = [
            "username=\(quoted(user))", "realm=\(quoted(realm))", "nonce=\(quoted(nonce))", "uri=\(quoted(uri))",
            "response=\"\(response)\"", "algorithm=\(algorithm.rawValue)",
        ]
        if let opaque { parts.append("opaque=\(quoted(opaque))") }
        if hasAuth { parts += ["qop=auth", "nc=\(number)", "cnonce=\"\(clientNonce)\""] }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// A quoted-string (RFC 9110 section 5.6.4).
    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// Reads the challenges of a `WWW-Authenticate` field (RFC 9110 section 11.6.1). Pure, and for any bytes.
enum AuthenticationField {
    struct Challenge: Equatable {
        var scheme: String
        /// By their names in lower case; of two with one name the first.
        var parameters: [String: String] = [:]
    }

    static func challenges(in field: String) -> [Challenge] {
        var (challenges, rest) = ([Challenge](), field.utf8[...])
        while true {
            rest = rest.drop { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let word = rest.prefix { ASCIISet.token.contains($0) }
            guard !word.isEmpty, let text = String(word) else { return challenges }
            rest = rest[word.endIndex...]
            let afterBlanks = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            if afterBlanks.first == UInt8(ascii: "="), !challenges.isEmpty {
                rest = afterBlanks.dropFirst().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
                let value = value(&rest)
                let last = challenges.count - 1
                if challenges[last].parameters[text.lowercased()] == nil {
                    challenges[last].parameters[text.lowercased()] = value
                }
            } else {
                challenges.append(Challenge(scheme: text))
            }
        }
    }

    /// A token or a quoted string, whose end may be missing.
    private static func value(_ rest: inout Substring.UTF8View) -> String {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: " ") }
            rest = rest[token.endIndex...]
            return String(decoding: token, as: UTF8.self)
        }
        rest = rest.dropFirst()
        var bytes: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            bytes.append(byte == UInt8(ascii: "\\") ? rest.popFirst() ?? byte : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension ASCIISet {
    fileprivate static let token = ASCIISet(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~")
}
