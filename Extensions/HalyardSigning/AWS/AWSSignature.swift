public import Halyard
public import HalyardFoundation
public import HalyardHTTP

extension Authentication {
    /// Signs each request for Amazon Web Services, or a service with the same signature. See ``AWSSignature``.
    public static func aws(
        _ credentials: AWSCredentials, region: String, service: String, payload: AWSSignature.Payload = .signed
    ) -> Authentication {
        Authentication(AWSSignature(credentials, region: region, service: service, payload: payload))
    }
}

/// Signs requests with Signature Version 4 of Amazon Web Services.
///
/// ```swift
/// struct Storage: HTTPProvider {
///     let baseURL = URL(string: "https://example.s3.eu-central-1.amazonaws.com")!
///     let authentication = Authentication.aws(
///         keys, region: "eu-central-1", service: "s3")
/// }
/// ```
///
/// The signature covers the method, the path, the query, the body, and the headers `Host`, `Content-Type`, `Content-MD5`
/// and `X-Amz-…`, as they are sent. It is made anew for each retry and each redirect. If the service refuses a request
/// because the clock of this machine is wrong, the request is sent again with the server's time.
public struct AWSSignature: Authenticator {
    /// What a signature says about the body.
    public enum Payload: Sendable {
        /// It covers the body, which is read once more for it. A file is never loaded into memory as a whole.
        case signed
        /// It does not cover the body, which only S3 accepts. It is for streams, which can be read only once.
        case unsigned
    }

    private let keys: Renewable<AWSCredentials>
    private let region, service: String
    private let payload: Payload
    /// The time as the server has it.
    private let now: @Sendable () -> Date
    /// The seconds that the server's clock is ahead.
    private let skew = Lock(TimeInterval(0))

    /// Makes a signature with keys that do not change.
    public init(
        _ credentials: AWSCredentials, region: String, service: String, payload: Payload = .signed,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(region: region, service: service, payload: payload, now: now) { credentials }
    }

    /// Creates a signer with keys that expire. One renewal serves all requests. It starts at the later of half of the
    /// lifetime and five minutes before `expiration`, or when the service says that the keys have expired.
    ///
    /// - Parameters:
    ///   - now: The time of the machine; a test passes its own.
    ///   - credentials: Returns new keys. An error that it throws is the error of the requests that wait. Requests that
    ///     it sends itself are not signed with these keys.
    public init(
        region: String, service: String, payload: Payload = .signed, now: @escaping @Sendable () -> Date = { Date() },
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        (self.region, self.service, self.payload) = (region, service, payload)
        let (start, skew) = (now(), skew)
        let time: @Sendable () -> Date = { now().addingTimeInterval(skew.withLock(\.self)) }
        self.now = time
        keys = Renewable(nil, leeway: .seconds(300), now: { .seconds(time().timeIntervalSince(start)) }) { _ in
            let keys = try await credentials()
            return (keys, keys.expiration.map { .seconds($0.timeIntervalSince(time())) })
        }
    }

    /// Signs a request. Throws ``HTTPError`` of kind `encoding` for a body that can be read only once, the error of a
    /// file that cannot be read, or that of the renewal of the keys.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard !keys.isRenewedByThisTask else { return }
        let (signature, credentials) = try await signature()
        let body = try await digest(of: request)
        request.headers["X-Amz-Date"] = signature.time
        request.headers["X-Amz-Security-Token"] = credentials.sessionToken
        if SignatureV4.isStorage(service) { request.headers["X-Amz-Content-SHA256"] = body }
        if credentials.sessionToken != nil { request.secretNames.insert("X-Amz-Security-Token") }
        let parts = URLParts(request.address.text)
        let headers = signed(request.headers, host: parts.host)
        let code = signature.signature(
            method: request.method.rawValue, path: parts.path, query: parts.query, headers: headers, payload: body)
        request.headers[.authorization] = """
            AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(signature.scope), \
            SignedHeaders=\(headers.map(\.name).joined(separator: ";")), Signature=\(code)
            """
    }

    private func signature() async throws -> (SignatureV4, AWSCredentials) {
        guard let credentials = try await keys.current() else {
            throw HTTPError(.cancelled, reason: "the closure that makes the keys needs them")
        }
        return (SignatureV4(credentials, region: region, service: service, date: now()), credentials)
    }

    /// The digest of the body as it is sent, in hexadecimal digits.
    private func digest(of request: HTTPRequest) async throws -> String {
        if payload == .unsigned { return SignatureV4.unsignedPayload }
        return try await request.bodyDigest(otherwise: "Use a file, or payload: .unsigned").hexadecimal
    }

    /// The headers that are signed, with names in lower case and in order.
    private func signed(_ headers: HTTPHeaders, host: String) -> [(name: String, value: String)] {
        var values = ["host": headers["Host"] ?? host]
        for field in headers {
            let name = field.name.rawValue.lowercased()
            guard ["content-type", "content-md5"].contains(name) || name.hasPrefix("x-amz-") else { continue }
            values[name] = values[name].map { "\($0),\(field.value)" } ?? field.value
        }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// 400 and 403, with which a service refuses keys that have expired, and a wrong time.
    public var recoverableStatuses: Set<Int> { [400, 403] }

    /// Takes the server's time if the machine's is wrong, or renews keys that have expired. Returns whether a new
    /// signature differs. Throws the error of the renewal.
    public func recover(from response: HTTPResponse, to request: HTTPRequest) async throws -> Bool {
        let error = response.headers["X-Amzn-ErrorType"] ?? String(decoding: response.data.prefix(4096), as: UTF8.self)
        if error.contains("ExpiredToken") {
            guard !keys.isRenewedByThisTask, let current = keys.value else { return false }
            // Another request may have renewed them meanwhile.
            guard request.headers["X-Amz-Security-Token"] == current.sessionToken else { return true }
            return try await keys.renewed(refused: current) != current
        }
        let isAboutTime = Self.timeErrors.contains { error.contains($0) }
        guard isAboutTime, let server = response.headers["Date"].flatMap(HTTPDate.seconds),
            let sent = request.headers["X-Amz-Date"]
        else { return false }
        let difference = TimeInterval(server) - now().timeIntervalSince1970
        guard abs(difference) > 60 else {
            // Another request may have corrected the time since this one was sent.
            return SignatureV4.seconds(sent).map { abs(TimeInterval(server) - $0) > 60 } ?? false
        }
        skew.withLock { $0 += difference }
        return true
    }

    /// Errors of services that refuse the time of a request.
    private static let timeErrors = [
        "RequestTimeTooSkewed", "RequestExpired", "InvalidSignature", "SignatureDoesNotMatch", "RequestInTheFuture",
    ]

    /// Returns a URL that anybody can use for a while, such as a link to a file.
    ///
    /// The query of the URL has the signature, and for temporary keys their token: treat it as a secret.
    ///
    /// - Parameters:
    ///   - url: The URL, whose query is signed as well.
    ///   - duration: How long it is valid: a second to seven days. Temporary keys may end it earlier.
    /// - Throws: ``HTTPError`` of kind `invalidURL`, or `encoding` for a duration that the service refuses.
    public func presignedURL(
        for url: URL, method: HTTPMethod = .get, expiresIn duration: Duration
    ) async throws -> URL {
        guard (.seconds(1)...(.seconds(604_800))).contains(duration) else {
            throw HTTPError(.encoding("the duration"), reason: "a presigned URL is valid for a second to seven days")
        }
        let (signature, credentials) = try await signature()
        let text = url.absoluteString.prefix { $0 != "#" }
        let parts = URLParts(String(text))
        var added = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", "\(credentials.accessKeyID)/\(signature.scope)"),
            ("X-Amz-Date", signature.time), ("X-Amz-Expires", "\(duration.components.seconds)"),
            ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = credentials.sessionToken { added.append(("X-Amz-Security-Token", token)) }
        let query = added.reduce(parts.query) {
            "\($0)\($0.isEmpty ? "" : "&")\($1.0)=\($1.1.utf8.percentEncoded(keeping: .unreserved))"
        }
        let isStorage = SignatureV4.isStorage(service)
        let code = signature.signature(
            method: method.rawValue, path: parts.path, query: query, headers: [("host", parts.host)],
            payload: isStorage ? SignatureV4.unsignedPayload : SHA256Digest().finish().hexadecimal)
        let signed = "\(text.prefix { $0 != "?" })?\(query)&X-Amz-Signature=\(code)"
        guard !parts.host.isEmpty, let result = URL(string: signed) else { throw HTTPError(.invalidURL("\(text)")) }
        return result
    }
}
