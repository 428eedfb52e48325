public import Halyard
public import HalyardFoundation
public import HalyardHTTP

extension Authentication {
    /// Signs each request with HTTP Message Signatures (RFC 9421). See ``MessageSignature``.
    public static func messageSignature(
        _ key: MessageSignatureKey, covering components: [StructuredItem] = MessageSignature.standardComponents
    ) -> Authentication {
        Authentication(MessageSignature(key, covering: components))
    }
}

/// Signs requests with HTTP Message Signatures (RFC 9421).
///
/// ```swift
/// struct Payments: HTTPProvider {
///     let baseURL = URL(string: "https://payments.example.com")!
///     let authentication = Authentication.messageSignature(
///         .hmacSHA256(secret, id: "key-1"))
/// }
/// ```
///
/// A component is the name of a header in lower case, or one of `@method`, `@target-uri`, `@authority`, `@scheme`,
/// `@request-target`, `@path`, `@query` and `@query-param`. One with parameters is a ``StructuredItem``, such as
/// `StructuredItem("@query-param", ["name": "id"])`, or `StructuredItem("x-list", ["sf": true])`.
///
/// If `content-digest` is one of them, a request with a body gets a `Content-Digest`, and one without a body is signed
/// without it. Headers that the engine sets itself, such as `Content-Length`, cannot be covered. The signature is made
/// after the client's interceptors, over what is sent, and anew for each retry and each redirect.
public struct MessageSignature: Authenticator {
    /// The method, the URL and the digest of the body.
    public static let standardComponents: [StructuredItem] = ["@method", "@target-uri", "content-digest"]

    private let key: MessageSignatureKey
    private let components: [StructuredItem]
    private let label: String
    private let tag: String?
    private let lifetime: Duration?
    private let now: @Sendable () -> Date

    /// Makes a signature.
    ///
    /// - Parameters:
    ///   - components: What the signature covers.
    ///   - label: The name of the signature, which tells it from those of others, such as a proxy's.
    ///   - tag: The name of the application, for servers that want one.
    ///   - lifetime: How long the signature is valid. Defaults to what the server allows.
    ///   - now: The time; a test passes its own.
    public init(
        _ key: MessageSignatureKey, covering components: [StructuredItem] = standardComponents, label: String = "sig1",
        tag: String? = nil, lifetime: Duration? = nil, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.key, self.components, self.label, self.tag) = (key, components, label, tag)
        (self.lifetime, self.now) = (lifetime, now)
    }

    /// Signs a request. Throws ``MessageSignatureError`` for a component that the request does not have, ``HTTPError``
    /// of kind `encoding` for a body that can be read only once, or the error of the key.
    public func authenticate(_ request: inout HTTPRequest) async throws {
        guard let sign = key.sign else { throw MessageSignatureError.wrongKey }
        var components = components
        if components.contains("content-digest") {
            let hasOwn = request.body?.isReadOnce == true && request.headers.contains("Content-Digest")
            if request.body != nil, !hasOwn {
                try await request.setContentDigest()
            } else if !request.headers.contains("Content-Digest") {
                components.removeAll { $0 == "content-digest" }
            }
        }
        let created = now().seconds
        var parameters: StructuredParameters = ["created": .integer(created)]
        parameters["expires"] = lifetime.map { .integer(created + min(max($0.components.seconds, 1), 1 << 40)) }
        parameters["keyid"] = key.id.map { .string($0) }
        parameters["alg"] = key.algorithm.map { .string($0) }
        parameters["tag"] = tag.map { .string($0) }
        let signature = try await sign(SignatureBase(message: .request(request)).text(components, parameters))
        try request.headers.setMember(label, .innerList(components, parameters), of: "Signature-Input")
        try request.headers.setMember(label, .item(StructuredItem(.bytes(signature))), of: "Signature")
    }
}

extension MessageSignatureKey {
    /// Checks the signature of a response, and returns its parameters.
    ///
    /// ```swift
    /// let response = try await api.request(.balance).response()
    /// try await key.verify(response, covering: ["@status", "content-digest"])
    /// ```
    ///
    /// A digest that the signature covers is compared with the body in memory: see ``HTTPResponse/checkDigest()``.
    /// Someone may send the same message again while the signature is valid: if that matters, compare the `nonce` of
    /// the parameters.
    ///
    /// - Parameters:
    ///   - request: The request with the headers that were sent, for components with the parameter `req`.
    ///   - label: The name of the signature. Defaults to any signature with the key's ID, or to any if it has no ID.
    ///   - required: The least that the signature must cover. If empty, a valid signature that covers nothing passes.
    ///   - maximumAge: How old the signature may be; `nil` for any age. Defaults to five minutes.
    ///   - now: The time.
    /// - Throws: ``MessageSignatureError``, or the error of the key.
    @discardableResult public func verify(
        _ response: HTTPResponse, to request: HTTPRequest? = nil, label: String? = nil,
        covering required: [StructuredItem], maximumAge: Duration? = .seconds(300), now: Date = Date()
    ) async throws -> StructuredParameters {
        let base = SignatureBase(message: .response(response, to: request))
        let (covered, parameters) = try await verify(base, label, required, maximumAge, now)
        try response.headers.checkDigests(covered, of: response.data, isPart: response.status == 206)
        return parameters
    }

    /// Checks the signature of a request that this program has received, such as a webhook, and returns its parameters.
    ///
    /// A digest that the signature covers is compared with the body. A request without a body need not have one, even
    /// if `required` names it. The other parameters and errors are those of
    /// ``verify(_:to:label:covering:maximumAge:now:)``.
    @discardableResult public func verify(
        _ request: HTTPRequest, label: String? = nil, covering required: [StructuredItem],
        maximumAge: Duration? = .seconds(300), now: Date = Date()
    ) async throws -> StructuredParameters {
        let body = try await request.body?.data() ?? Data()
        let required = body.isEmpty ? required.filter { $0.name != "content-digest" } : required
        let base = SignatureBase(message: .request(request))
        let (covered, parameters) = try await verify(base, label, required, maximumAge, now)
        try request.headers.checkDigests(covered, of: body, isPart: false)
        return parameters
    }

    /// Returns the components that a valid signature covers, and its parameters.
    private func verify(
        _ base: SignatureBase, _ label: String?, _ required: [StructuredItem], _ maximumAge: Duration?, _ now: Date
    ) async throws -> ([StructuredItem], StructuredParameters) {
        guard let inputs = try? base.message.headers.structuredDictionary("Signature-Input"),
            let signatures = try? base.message.headers.structuredDictionary("Signature")
        else { throw MessageSignatureError.missing }
        var failure: any Error = MessageSignatureError.missing
        for input in inputs.all {
            guard case .innerList(let components, let parameters) = input.value, components.count <= Self.limit,
                label.map({ $0 == input.name }) ?? (id == nil || parameters["keyid"]?.text == id),
                let signature = signatures[input.name]?.value?.bytes
            else { continue }
            do {
                try await check(signature, base, components, parameters, required, maximumAge, now)
                return (components, parameters)
            } catch { failure = error }
        }
        throw failure
    }

    /// The number of components that a signature may cover: a hostile message would take its time.
    private static let limit = 64

    private func check(
        _ signature: Data, _ base: SignatureBase, _ components: [StructuredItem], _ parameters: StructuredParameters,
        _ required: [StructuredItem], _ maximumAge: Duration?, _ now: Date
    ) async throws {
        guard let isValid else { throw MessageSignatureError.wrongKey }
        if let algorithm, let stated = parameters["alg"]?.text, stated != algorithm {
            throw MessageSignatureError.wrongKey
        }
        let covered = Set(components.map(\.identity))
        if let missing = required.first(where: { !covered.contains($0.identity) }) {
            throw MessageSignatureError.notCovered(missing.text)
        }
        try Self.check(parameters, maximumAge, at: now.seconds)
        guard try await isValid(signature, base.text(components, parameters)) else {
            throw MessageSignatureError.invalid
        }
    }

    private static func check(_ parameters: StructuredParameters, _ maximumAge: Duration?, at now: Int64) throws {
        if let expires = parameters["expires"], expires.integer.map({ $0 <= now }) ?? true {
            throw MessageSignatureError.expired
        }
        guard let maximumAge else { return }
        // The clocks of two machines differ by some seconds.
        guard let created = parameters["created"]?.integer, created <= now + 30,
            now - created <= maximumAge.components.seconds
        else { throw MessageSignatureError.expired }
    }
}

extension Date {
    /// The whole seconds since 1970, for any date.
    fileprivate var seconds: Int64 { Int64(exactly: timeIntervalSince1970.rounded(.down)) ?? 0 }
}

extension HTTPHeaders {
    /// Sets a member of a dictionary, and keeps those of others.
    fileprivate mutating func setMember(_ name: String, _ value: StructuredMember, of field: String) throws {
        var members = try structuredDictionary(field)
        members[name] = value
        self[field] = try members.fieldValue()
    }
}
