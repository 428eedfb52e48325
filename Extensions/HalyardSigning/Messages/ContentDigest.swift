import HalyardFoundation
import HalyardHTTP

extension HTTPRequest {
    /// Sets `Content-Digest` (RFC 9530) to the SHA-256 of the body as it is sent.
    ///
    /// The body is read once more for it. A file is never loaded into memory as a whole. Throws ``HTTPError`` of kind
    /// `encoding` for a body that can be read only once, or the error of its file.
    public mutating func setContentDigest() async throws {
        let digest = try await bodyDigest(otherwise: "Use a file, or set its digest yourself")
        headers["Content-Digest"] = try StructuredDictionary.sha256(digest).fieldValue()
    }
}

extension HTTPResponse {
    /// Checks the body in memory against the SHA-256 in `Content-Digest` or `Repr-Digest` (RFC 9530).
    ///
    /// The digests are those of the bytes that were sent, before Halyard has decompressed them: ask for a response
    /// without compression with `Accept-Encoding: identity`. A `Repr-Digest` is that of the whole file, so it is not
    /// checked for a part of it (206). Returns whether there was a digest to check. Throws ``MessageSignatureError``
    /// `bodyDiffers`, or ``HTTPError`` of kind `decoding` for a header that cannot be read.
    @discardableResult public func checkDigest() throws -> Bool {
        try headers.checkDigest(of: data, isPart: status == 206)
    }
}

extension HTTPHeaders {
    func checkDigest(of body: Data, isPart: Bool) throws -> Bool {
        var isChecked = false
        for name in isPart ? ["Content-Digest"] : ["Content-Digest", "Repr-Digest"] {
            guard let digest = try structuredDictionary(name)["sha-256"]?.value?.bytes else { continue }
            guard HMACSHA256.areEqual(digest, SHA256Digest.hash(body)) else { throw MessageSignatureError.bodyDiffers }
            isChecked = true
        }
        return isChecked
    }
}

extension StructuredDictionary {
    fileprivate static func sha256(_ digest: Data) -> StructuredDictionary {
        ["sha-256": .item(StructuredItem(.bytes(digest)))]
    }
}
