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
    public func checkDigest() throws -> Bool { try checkDigests(equal: SHA256Digest.hash(data), trailers) }

    /// Returns whether there is a digest of the body, or of the file that the body has completed. Throws an error if it
    /// is another one.
    func checkDigests(equal digest: Data, _ trailers: HTTPHeaders, isContinued: Bool = false) throws -> Bool {
        // A part that completes a file makes the whole of it, and has a digest of its own.
        let ofBody = isContinued ? [] : ["Content-Digest"]
        let ofFile = isContinued || status != 206 ? ["Repr-Digest"] : []
        let checks = try (ofBody + ofFile).flatMap { name in
            try [headers, trailers].map { try $0.checkDigest(name, equals: digest) }
        }
        return checks.contains(true)
    }
}

extension HTTPHeaders {
    /// Returns whether a header has a SHA-256. Throws an error if it is not that of the body.
    func checkDigest(_ name: String, equals digest: Data) throws -> Bool {
        guard let stated = try structuredDictionary(name)["sha-256"]?.value?.bytes else { return false }
        guard stated == digest else { throw MessageSignatureError.bodyDiffers }
        return true
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
            guard !isOfWhole, !isOtherKind, try checkDigest(digest.name, equals: hash) else {
                throw MessageSignatureError.unknownDigest
            }
        }
    }
}

extension StructuredDictionary {
    fileprivate static func sha256(_ digest: Data) -> StructuredDictionary {
        ["sha-256": .item(StructuredItem(.bytes(digest)))]
    }
}
