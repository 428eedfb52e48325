import HalyardFoundation
import HalyardHTTP

/// A digest challenge of a server (RFC 7616 section 3.3), and the answer to it. It has no side effects.
struct DigestChallenge: Sendable, Hashable {
    enum Algorithm: String, Sendable, CaseIterable {
        case md5 = "MD5"
        case md5Session = "MD5-sess"
        case sha256 = "SHA-256"
        case sha256Session = "SHA-256-sess"

        var isSHA: Bool { self != .md5 && self != .md5Session }
        var isOfSession: Bool { rawValue.hasSuffix("-sess") }

        func hash(_ bytes: [UInt8]) -> String {
            isSHA ? SHA256Digest.hash(bytes).hexadecimal : MD5Digest.hash(bytes).hexadecimal
        }

        func hash(_ text: String) -> String { hash(Array(text.utf8)) }
    }

    /// The quality of protection (RFC 7616 section 3.4).
    enum Quality: String, Sendable {
        case auth
        /// Protects the body as well.
        case integrity = "auth-int"
    }

    /// The reason why a challenge cannot be answered.
    struct Problem: Error, Hashable {
        let reason: String
    }

    let realm, nonce: String
    let opaque: String?
    let algorithm: Algorithm
    /// `auth` if the server offers it. `nil` for RFC 2069, which has no quality of protection.
    let quality: Quality?
    let isStale: Bool

    /// Returns all digest challenges of a `WWW-Authenticate` field.
    static func all(in field: String) -> [Result<DigestChallenge, Problem>] {
        AuthenticationField.challenges(in: field).filter { $0.scheme.lowercased() == "digest" }.map { challenge in
            Result { () throws(Problem) in try DigestChallenge(challenge.parameters) }
        }
    }

    private init(_ parameters: [String: String]) throws(Problem) {
        guard let realm = parameters["realm"], let nonce = parameters["nonce"] else {
            throw Problem(reason: "the digest challenge has no realm or no nonce")
        }
        let name = parameters["algorithm"] ?? "MD5"
        guard let algorithm = Algorithm.allCases.first(where: { $0.rawValue.lowercased() == name.lowercased() }) else {
            throw Problem(reason: "the digest algorithm \(name.quoted) is not known")
        }
        let qualities = parameters["qop"]?.lowercased().split { ", \t".contains($0) }.map(String.init)
        quality = [Quality.auth, .integrity].first { qualities?.contains($0.rawValue) ?? false }
        guard quality != nil || qualities == nil else {
            throw Problem(reason: "the quality of protection \((parameters["qop"] ?? "").quoted) is not known")
        }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = parameters["opaque"]
        isStale = parameters["stale"]?.lowercased() == "true"
    }

    /// Checks that a request can be sent with an answer.
    func check(_ request: HTTPRequest) throws(Problem) {
        guard quality == .integrity, let body = request.body, body.dataInMemory == nil else { return }
        throw Problem(reason: "the challenge asks for auth-int, and the body is not in memory to be hashed")
    }

    /// Returns the value of the `Authorization` field (sections 3.4.1 to 3.4.3).
    func answer(
        user: String, password: String, method: String, uri: String, body: [UInt8] = [], clientNonce: String, count: Int
    ) -> String {
        var secret = algorithm.hash("\(user):\(realm):\(password)")
        if algorithm.isOfSession { secret = algorithm.hash("\(secret):\(nonce):\(clientNonce)") }
        let number = UInt32(truncatingIfNeeded: count).bigEndianBytes.hexadecimal
        let middle = quality.map { ":\(number):\(clientNonce):\($0.rawValue)" } ?? ""
        let end = quality == .integrity ? ":" + algorithm.hash(body) : ""
        let response = algorithm.hash("\(secret):\(nonce)\(middle):\(algorithm.hash("\(method):\(uri)\(end)"))")

        var parts = [
            "username=\(quoted(user))", "realm=\(quoted(realm))", "nonce=\(quoted(nonce))", "uri=\(quoted(uri))",
            "response=\"\(response)\"", "algorithm=\(algorithm.rawValue)",
        ]
        if let opaque { parts.append("opaque=\(quoted(opaque))") }
        if let quality { parts += ["qop=\(quality.rawValue)", "nc=\(number)"] }
        // RFC 2069 has no client nonce. A session key cannot be calculated without it.
        if quality != nil || algorithm.isOfSession { parts.append("cnonce=\"\(clientNonce)\"") }
        return "Digest " + parts.joined(separator: ", ")
    }

    /// Returns a quoted-string (RFC 9110 section 5.6.4).
    private func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}

/// Parses the challenges of a `WWW-Authenticate` field (RFC 9110 section 11.6.1). It accepts any bytes and has no side
/// effects.
enum AuthenticationField {
    struct Challenge: Equatable {
        var scheme: String
        /// The parameters, with names in lower case. The first one of a name counts.
        var parameters: [String: String] = [:]
    }

    static func challenges(in field: String) -> [Challenge] {
        var (challenges, rest) = ([Challenge](), field.utf8[...])
        while true {
            rest = rest.drop { $0 == UInt8(ascii: ",") || $0.isBlank }
            let word = rest.prefix { ASCIISet.token.contains($0) }
            guard !word.isEmpty, let text = String(word) else { return challenges }
            rest = rest[word.endIndex...]
            let afterBlanks = rest.drop(while: \.isBlank)
            if afterBlanks.first == UInt8(ascii: "="), !challenges.isEmpty {
                rest = afterBlanks.dropFirst()
                let value = rest.popParameterValue(before: .endOfValue)
                let last = challenges.count - 1
                if challenges[last].parameters[text.lowercased()] == nil {
                    challenges[last].parameters[text.lowercased()] = value
                }
            } else {
                challenges.append(Challenge(scheme: text))
            }
        }
    }
}

extension ASCIISet {
    fileprivate static let endOfValue = ASCIISet(", ")
}
