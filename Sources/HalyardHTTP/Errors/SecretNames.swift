/// The names of header fields and parameters whose values are never printed.
///
/// Names are compared by their letters and digits alone: `X-Api-Key`, `x_api_key` and `xApiKey` are one. Of a nested
/// name, `user[password]` or `user.password`, each part counts.
package struct SecretNames: Sendable {
    /// Beside those that the field has agreed on.
    private let more: Set<String>

    package init(_ more: Set<String> = []) { self.more = more.isEmpty ? [] : Set(more.map(Self.plain)) }

    /// Whether the value of that header field, parameter or member is a secret.
    package func contains(_ name: String) -> Bool {
        if isSecret(Self.plain(name)) { return true }
        let parts = name.split { "[].".contains($0) }
        return parts.count > 1 && parts.contains { isSecret(Self.plain(String($0))) }
    }

    /// As ``contains(_:)``, and what is a secret in a query or a form alone: elsewhere a `code` is an error's.
    package func containsParameter(_ name: String) -> Bool {
        contains(name)
            || name.split { "[].".contains($0) }.contains { Self.parameters.contains(Self.plain(String($0))) }
    }

    /// As ``contains(_:)``, and what ends in `-Key`: what services call the field that holds their key, `X-Acme-Key`.
    /// Elsewhere the key of such a name is a dictionary's or a table's.
    package func containsField(_ name: String) -> Bool {
        if contains(name) { return true }
        let plain = Self.plain(name)
        return name.lowercased().hasSuffix("-key") && !Self.harmlessKeys.contains { plain.hasSuffix($0) }
    }

    private func isSecret(_ name: String) -> Bool {
        if more.contains(name) || Self.whole.contains(name) { return true }
        let isNamedSo = Self.within.contains { name.contains($0) } || Self.endings.contains { name.hasSuffix($0) }
        return isNamedSo && !Self.harmless.contains(name)
    }

    private static func plain(_ name: String) -> String {
        String(String.UnicodeScalarView(name.lowercased().unicodeScalars.filter(\.isLetterOrDigit)))
    }

    // RFC 9110 (credentials), RFC 6265 (cookies), RFC 6749, 7636, 7521 and 7009 (OAuth), and what services name in their
    // documentation: Amazon's and Google's signed URLs, GitHub, GitLab, Stripe, Azure, Vault.
    private static let whole: Set<String> = [
        "auth", "sig", "sas", "sid", "jwt", "otp", "totp", "pwd", "pass", "passcode", "pin", "cvc", "cvv", "cookie2",
        "setcookie2", "session", "xsession", "awsaccesskeyid", "googleaccessid", "codeverifier", "clientassertion",
        "assertion",
        "samlresponse", "dpop",
    ]
    /// What sounds like a secret and is none.
    private static let harmless: Set<String> = [
        "accesscontrolallowcredentials", "pagetoken", "nextpagetoken", "continuationtoken",
    ]
    /// Fields that end in `-Key` and hold none: of caches and queues, and by which a request is known when it comes again.
    private static let harmlessKeys = [
        "idempotencykey", "cachekey", "surrogatekey", "routingkey", "partitionkey", "websocketkey",
    ]
    private static let within = ["password", "passwd", "passphrase", "secret", "apikey", "authorization", "credential"]
    private static let endings = [
        "token", "signature", "cookie", "cookies", "accesskey", "accesskeyid", "privatekey", "subscriptionkey",
        "functionskey", "authkey", "encryptionkey", "licensekey", "sharedkey", "masterkey", "sessionid", "sessionkey",
        "sessid", "authuser", "xauthkey", "accesscode", "authcode", "devicecode", "usercode", "recoverycode", "jwt",
    ]
    private static let parameters: Set<String> = ["key", "code"]
}

extension Unicode.Scalar {
    fileprivate var isLetterOrDigit: Bool { properties.isAlphabetic || properties.numericType != nil }
}
