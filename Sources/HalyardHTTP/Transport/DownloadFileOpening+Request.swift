extension DownloadFileOpening {
    /// Makes the opening of the file that a request's destination names; `nil` when the body does not go to a file.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidResponse` for a body that does not fit the partial file. A part of the
    ///   body that does not fit fails when the file is opened, because it also removes the bytes.
    package init?(for request: HTTPRequest, status: Int, _ headers: HTTPHeaders) throws(HTTPError) {
        guard case .file(let url, _) = request.destination.place, (200..<300).contains(status) else { return nil }
        guard let partialFile = request.destination.partialFile else {
            self.init { () throws(HTTPError) in try AtomicFile(url, permit: .forFile(), isPatient: true) }
            return
        }
        self = try partialFile.opening(status, headers, source: ResumeRecord.source(request))
    }
}

extension ResumeRecord {
    /// The hash of a request. It includes the accepted media types and languages, which select different bodies.
    package static func requestHash(_ request: HTTPRequest) -> String {
        let choices = ["Accept", "Accept-Language"].map { request.headers[$0] ?? "" }
        return SHA256Digest.hexDigest(of: ([request.address.text.withoutFragment] + choices).joined(separator: "\n"))
    }

    /// The hash of the URL of a request. The query is ignored, because a signed URL has a new one each time.
    package static func source(_ request: HTTPRequest) -> String {
        SHA256Digest.hexDigest(of: String(request.address.text.withoutFragment.prefix { $0 != "?" }))
    }
}

extension String {
    fileprivate var withoutFragment: String { String(prefix { $0 != "#" }) }
}
