public import HalyardFoundation
public import HalyardHTTP

/// The keys of an account of Amazon Web Services.
public struct AWSCredentials: Sendable, Hashable {
    /// The name of the key, which is sent.
    public var accessKeyID: String
    /// The key, which is never sent.
    public var secretAccessKey: String
    /// The token of temporary keys, which is sent.
    public var sessionToken: String?
    /// When temporary keys expire. `nil` if that is not known.
    public var expiration: Date?

    /// Makes credentials.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil, expiration: Date? = nil) {
        (self.accessKeyID, self.secretAccessKey) = (accessKeyID, secretAccessKey)
        (self.sessionToken, self.expiration) = (sessionToken, expiration)
    }

    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`. Throws ``HTTPError`` of kind
    /// `encoding` for one that is missing.
    public static func environment(
        _ variables: [String: String] = ProcessInfo.processInfo.environment
    ) throws(HTTPError) -> AWSCredentials {
        try AWSCredentials(
            { variables[$0] }, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
            source: "the environment")
    }

    /// Reads keys from a profile of the AWS CLI's credentials file. It supports neither `~/.aws/config` nor SSO.
    ///
    /// - Parameters:
    ///   - profile: Defaults to `AWS_PROFILE`, or else `default`.
    ///   - file: Defaults to `AWS_SHARED_CREDENTIALS_FILE`, or else `~/.aws/credentials`.
    /// - Throws: ``HTTPError`` of kind `unreadableFile`, or `encoding` for a profile or a key that is missing.
    public static func file(profile: String? = nil, at file: URL? = nil) throws(HTTPError) -> AWSCredentials {
        let variables = ProcessInfo.processInfo.environment
        let path = variables["AWS_SHARED_CREDENTIALS_FILE"] ?? "~/.aws/credentials"
        let home = variables["HOME"] ?? "/"
        let file = file ?? URL(filePath: path.hasPrefix("~/") ? home + path.dropFirst() : path)
        let text: String
        do { text = try String(contentsOf: file, encoding: .utf8) } catch {
            throw HTTPError(.unreadableFile(file.path), reason: "\(error)")
        }
        let profile = profile ?? variables["AWS_PROFILE"] ?? "default"
        let members = profiles(in: text)[profile]
        guard let members else {
            throw HTTPError(.encoding("the profile"), reason: "\(file.path) has no profile \"\(profile)\"")
        }
        return try AWSCredentials(
            { members[$0] }, "aws_access_key_id", "aws_secret_access_key", "aws_session_token",
            source: "the profile \(profile) of \(file.path)")
    }

    private init(
        _ value: (String) -> String?, _ id: String, _ secret: String, _ token: String, source: String
    ) throws(HTTPError) {
        for name in [id, secret] where (value(name) ?? "").isEmpty {
            throw HTTPError(.encoding(name), reason: "it is missing in \(source)")
        }
        let sessionToken = value(token).flatMap { $0.isEmpty ? nil : $0 }
        self.init(accessKeyID: value(id) ?? "", secretAccessKey: value(secret) ?? "", sessionToken: sessionToken)
    }

    /// The members of each profile: lines of `name = value` after a line of `[profile]`.
    private static func profiles(in text: String) -> [String: [String: String]] {
        var (profiles, current): ([String: [String: String]], String?) = ([:], nil)
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed
            if line.hasPrefix("["), line.hasSuffix("]") {
                let name = String(line.dropFirst().dropLast().trimmed)
                current = name
                profiles[name] = profiles[name] ?? [:]
            } else if let current, !line.hasPrefix("#"), !line.hasPrefix(";"), let sign = line.firstIndex(of: "=") {
                let name = line[..<sign].trimmed.lowercased()
                profiles[current]?[name] = String(line[line.index(after: sign)...].trimmed)
            }
        }
        return profiles
    }
}

extension Substring {
    /// The text without spaces at its ends.
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}

extension AWSCredentials: SafelyDescribed {
    /// The name of the key, without the secrets.
    public var description: String { "AWS credentials \(accessKeyID)" }
}
