public import Halyard
import HalyardFoundation
import HalyardHTTP

extension ClientPolicy {
    /// Checks the body of every response that has a `Content-Digest` or a `Repr-Digest` with SHA-256 (RFC 9530).
    ///
    /// ```swift
    /// let client = HTTPClient(configuration: .init(policies: [.checkingDigests()]))
    /// ```
    ///
    /// A request fails with ``MessageSignatureError`` `bodyDiffers` if the body is not the right one. A download is
    /// checked before its file is renamed to its target: a file with other bytes is removed, and never in place. A
    /// `Repr-Digest` is computed while the bytes arrive; for a `Content-Digest` alone, and for trailers, the file is
    /// read once more. If you cancel the request meanwhile, a download that can be resumed is kept. The
    /// `Content-Digest` of a resumed download is that of its last part: only a `Repr-Digest` covers the bytes before
    /// it. A stream throws the error in place of its end, when you have read all bytes; its digest may also be a
    /// trailer.
    ///
    /// The digests are those of the bytes that were sent, so the requests ask for no compression, unless you set
    /// `Accept-Encoding`. They also ask the server for a digest.
    public static func checkingDigests() -> ClientPolicy { ClientPolicy(.sending, DigestChecking()) }
}

private struct DigestChecking: Interceptor {
    func intercept(_ request: HTTPRequest, next: Chain) async throws -> HTTPResponse {
        var request = request
        request.headers["Accept-Encoding"] = request.headers["Accept-Encoding"] ?? "identity"
        request.headers["Want-Content-Digest"] = request.headers["Want-Content-Digest"] ?? "sha-256=1"
        request.headers["Want-Repr-Digest"] = request.headers["Want-Repr-Digest"] ?? "sha-256=1"
        var response = try await next.proceed(request)
        // The digests of a response to HEAD are those of a body that is not sent.
        guard request.method != .head, response.status != 304 else { return response }
        if let stream = response.stream {
            response.stream = checked(stream, of: response)
            return response
        }
        guard let file = response.downloadFile else {
            _ = try response.checkDigest()
            return response
        }
        // A part that is too short is continued by a retry.
        try (file as? ResumableDownloadFile)?.checkComplete()
        do { try await compare(file, of: response) } catch {
            response.discard()
            // A body that could not be compared may be the right one, and is kept if it can be resumed.
            file.end(isRefused: error is MessageSignatureError)
            throw error
        }
        return response
    }

    /// Compares the body with its digest, and the file with that of the whole file. They differ if the body is the rest
    /// of the file.
    private func compare(_ file: any DownloadFile, of response: HTTPResponse) async throws {
        let (url, isRest) = (URL(filePath: file.path), file.offset > 0)
        for first in isRest ? [0, file.offset] : [0] {
            let isWholeFile = first == 0 && (isRest || response.status != 206)
            let digests = try response.digests(
                ofBody: first == file.offset, ofFile: isWholeFile, response.trailers)
            guard !digests.isEmpty else { continue }
            if first == 0, let digest = file.digest {
                try digests.require(digest)
                continue
            }
            // A file that another program has made shorter is an error.
            let end = max(first, try FileSource(url).length)
            try await digests.require(FileSource(url, bytes: first..<end).sha256())
        }
    }

    private func checked(_ stream: HTTPResponse.Stream, of response: HTTPResponse) -> HTTPResponse.Stream {
        let digest = Lock(SHA256Digest())
        var head = response
        head.stream = nil
        return stream.checked { [head] chunk in
            guard let chunk else {
                let digests = try head.digests(ofFile: head.status != 206, stream.trailers)
                return try digests.require(digest.withLock { $0.finish() })
            }
            digest.withLock { $0.update(chunk) }
        }
    }
}
