/// The names of header fields and parameters whose values are never printed.
///
/// Only letters and digits are compared: `X-Api-Key`, `x_api_key` and `xApiKey` are equal. Each part of a nested name
/// counts: `user[password]` or `user.password`.
package struct SecretNames: Sendable {
    /// Names in addition to the well-known ones.
    private let more: Set<String>

    package init(_ more: Set<String> = []) { self.more = more.isEmpty ? [] : Set(more.map(Self.plain)) }

    /// Whether the value of this header field, parameter or member is a secret.
    package func contains(_ name: String) -> Bool {
        if isSecret(Self.plain(name)) { return true }
        let parts = name.split { "[].".contains($0) }
        return parts.count > 1 && parts.contains { isSecret(Self.plain(String($0))) }
    }

    /// Like ``contains(_:)``, and true for names that are secrets only in a query or a form. Elsewhere a `code` is an
    /// error code.
    package func containsParameter(_ name: String) -> Bool {
        contains(name)
            || name.split { "[].".contains($0) }.contains { Self.parameters.contains(Self.plain(String($0))) }
    }

    /// Like ``contains(_:)``, and true for header fields that end in `-Key`, such as `X-Acme-Key`. Elsewhere such a
    /// name is a key of a dictionary or table.
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

    /// Returns the letters and digits of a name, in lower case.
    package static func plain(_ name: String) -> String {
        String(String.UnicodeScalarView(name.lowercased().unicodeScalars.filter(\.isLetterOrDigit)))
    }

    // From RFC 9110 (credentials), RFC 6265 (cookies), RFC 6749, 7636, 7521 and 7009 (OAuth), and the documentation of
    // services: signed URLs of Amazon and Google, GitHub, GitLab, Stripe, Azure, Vault.
    private static let whole: Set<String> = [
        "auth", "sig", "sas", "sid", "jwt", "otp", "totp", "pwd", "pass", "passcode", "pin", "cvc", "cvv", "cookie2",
        "setcookie2", "session", "xsession", "awsaccesskeyid", "googleaccessid", "codeverifier", "clientassertion",
        "assertion",
        "samlresponse", "dpop",
    ]
    /// Names that match the rules for secrets, although their values are not secret.
    private static let harmless: Set<String> = [
        "accesscontrolallowcredentials", "pagetoken", "nextpagetoken", "continuationtoken",
    ]
    /// Fields that end in `-Key` and hold no secret: of caches and queues, and idempotency keys.
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
