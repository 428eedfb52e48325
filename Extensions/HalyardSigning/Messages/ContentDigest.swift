import HalyardFoundation
import HalyardHTTP

extension HTTPRequest {
    /// Sets `Content-Digest` (RFC 9530) to the SHA-256 of the body as it is sent.
    ///
    /// The body is read once more for it. A file is never loaded into memory as a whole. Throws ``HTTPError`` of kind
    /// `encoding` for a body that can be read only once, or the error of its file.
    public mutating func setContentDigest() async throws {
        let digest = try await bodyDigest(otherwise: "Use a file, or set the header yourself")
        headers["Content-Digest"] = try StructuredDictionary.sha256(digest).fieldValue()
    }
}

extension HTTPResponse {
    /// Checks the body in memory against the SHA-256 in `Content-Digest` and `Repr-Digest` (RFC 9530), which may be
    /// headers or trailers.
    ///
    /// The digests are those of the bytes that were sent, before Halyard has decompressed them: ask for a response
    /// without compression with `Accept-Encoding: identity`. A `Repr-Digest` is that of the whole file, so it is not
    /// checked for a part of it (206). Returns `false` if there is no digest that can be checked. Throws
    /// ``MessageSignatureError`` `bodyDiffers`, or ``HTTPError`` of kind `decoding` for a header that cannot be read.
    public func checkDigest() throws -> Bool {
        let digests = try digests(ofFile: status != 206, trailers)
        if !digests.isEmpty { try digests.require(SHA256Digest.hash(data)) }
        return !digests.isEmpty
    }

    /// Returns the SHA-256 that headers and trailers state: of the body, and of the whole file.
    func digests(ofBody: Bool = true, ofFile: Bool, _ trailers: HTTPHeaders) throws -> [Data] {
        let names = (ofBody ? ["Content-Digest"] : []) + (ofFile ? ["Repr-Digest"] : [])
        return try names.flatMap { name in try [headers, trailers].compactMap { try $0.digest(name) } }
    }
}

extension [Data] {
    /// Throws an error if a digest is not this one.
    func require(_ digest: Data) throws {
        guard allSatisfy({ $0 == digest }) else { throw MessageSignatureError.bodyDiffers }
    }
}

extension HTTPHeaders {
    /// Returns the SHA-256 of a header; `nil` if it has none.
    fileprivate func digest(_ name: String) throws -> Data? {
        try structuredDictionary(name)["sha-256"]?.value?.bytes
    }

    /// Checks every digest of the body that a signature covers. Throws ``MessageSignatureError``.
    func checkDigests(_ covered: [StructuredItem], of body: Data, isPart: Bool) throws {
        let hash = SHA256Digest.hash(body)
        let digests = covered.filter { ["content-digest", "repr-digest"].contains($0.name) && !$0.isOfRequest }
        for digest in digests {
            // That of a whole file says nothing about a part of it, whose own digest may be covered too.
            let isOfWhole = isPart && digest.name == "repr-digest"
            if isOfWhole, digests.contains(where: { $0.name == "content-digest" }) { continue }
            let isOtherKind = digest.parameters["key"].map { $0.text != "sha-256" } ?? false
            guard !isOfWhole, !isOtherKind, let stated = try self.digest(digest.name) else {
                throw MessageSignatureError.unknownDigest
            }
            try [stated].require(hash)
        }
    }
}

extension StructuredDictionary {
    fileprivate static func sha256(_ digest: Data) -> StructuredDictionary {
        ["sha-256": .item(StructuredItem(.bytes(digest)))]
    }
}
