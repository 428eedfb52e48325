public import HalyardFoundation
import Halyard
import HalyardHTTP

/// What a user has to do to sign in a program without a browser (RFC 8628).
public struct DeviceCode: Sendable {
    /// The code that the user types.
    public let userCode: String
    /// Where the user types it, on any machine.
    public let verificationURL: URL
    /// The verification URL with the user code in it, for example for a QR code. `nil` if the server sends none.
    public let completeURL: URL?
    /// When the code expires.
    public let expiration: Date
}

extension DeviceCode: SafelyDescribed {
    /// When the code expires. The code is not shown, because the first one to confirm it signs in.
    public var description: String { "a device code until \(expiration)" }
}

extension OAuthClient {
    /// Signs in a user of a program without a browser, by a code that the user types elsewhere (RFC 8628).
    ///
    /// ```swift
    /// let token = try await client.deviceLogin { code in
    ///     print("Open \(code.verificationURL) and type \(code.userCode)")
    /// }
    /// try await session.signIn(token)
    /// ```
    ///
    /// It polls at the interval that the server sets, also after a lost connection, until the code expires.
    ///
    /// - Parameters:
    ///   - show: Shows the code to the user. Polling starts only after it returns.
    /// - Throws: ``OAuthError``, such as `accessDenied`, `expiredToken`, or `missingEndpoint` if the server has no
    ///   `deviceURL`; ``HTTPError``; the error of `show`; or `CancellationError`.
    public func deviceLogin(
        scopes: [String] = [], show: @Sendable (DeviceCode) async throws -> Void
    ) async throws -> OAuthToken {
        var all = parameters
        all.setScopes(scopes)
        let url = try OAuthServer.required(server.deviceURL, "device_authorization_endpoint")
        let start = time.date()
        let answer = try await post(all, to: url)
        // Google's name for it comes from a draft.
        let address = answer["verification_uri"].string ?? answer["verification_url"].string
        guard let deviceCode = answer["device_code"].string, let userCode = answer["user_code"].string,
            let verificationURL = address.flatMap({ URL(string: $0) }),
            verificationURL.isWeb
        else {
            throw HTTPError(.decoding, reason: "the answer has no device_code, user_code or verification_uri")
        }
        let end = start.addingTimeInterval(answer["expires_in"].seconds(atMost: 1e9) ?? 600)
        try await show(
            DeviceCode(
                userCode: userCode, verificationURL: verificationURL,
                completeURL: answer["verification_uri_complete"].string.flatMap { URL(string: $0) }
                    .flatMap { $0.isWeb ? $0 : nil },
                expiration: end))
        var interval = max(answer["interval"].seconds(atMost: 600) ?? 5, 1)
        while true {
            try await time.sleep(.seconds(interval))
            guard time.date() < end else { throw OAuthError(.expiredToken) }
            do {
                return try await token([
                    "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": deviceCode,
                ])
            } catch let error as OAuthError {
                switch error.code {
                case .other("authorization_pending"): continue
                case .other("slow_down"): interval += 5
                case .serverError, .temporarilyUnavailable: interval = Self.longer(interval)
                default: throw error
                }
            } catch let error as HTTPError
                where error.isTemporary || error.status == 429 || (error.status ?? 0) >= 500
            {
                interval = Self.longer(interval)
            }
        }
    }

    /// The delay for a server that may be busy: it is asked less often (section 3.5).
    private static func longer(_ interval: Double) -> Double { max(interval, min(interval * 2, 60)) }
}

extension URL {
    /// Whether a browser opens it, and no other program.
    fileprivate var isWeb: Bool { ["http", "https"].contains(scheme?.lowercased()) }
}
