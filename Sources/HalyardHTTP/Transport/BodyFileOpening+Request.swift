extension BodyFileOpening {
    /// The file that a request's destination names; `nil` where the body does not go to one.
    ///
    /// - Throws: ``HTTPError`` of kind `invalidResponse` for a part that does not fit what is there of the body.
    package init?(for request: HTTPRequest, status: Int, _ headers: HTTPHeaders) throws(HTTPError) {
        guard case .file(let url, _) = request.destination.place, (200..<300).contains(status) else { return nil }
        guard let part = request.part else {
            self.init { () throws(Fault) in try FileSink(at: url) }
            return
        }
        do throws(Fault) {
            self = try part.opening(status, headers, source: PartialDownload.source(request))
        } catch { throw HTTPError(error) }
    }
}

extension PartialDownload {
    /// The hash of what a request asks for: two that want another language are not for the same.
    package static func asked(_ request: HTTPRequest) -> String {
        let choices = ["Accept", "Accept-Language"].map { request.headers[$0] ?? "" }
        return SHA256Digest.name(of: ([request.address.text.withoutFragment] + choices).joined(separator: "\n"))
    }

    /// The hash of a place. Its query does not count: an address that was signed has another one each time.
    package static func source(_ request: HTTPRequest) -> String {
        SHA256Digest.name(of: String(request.address.text.withoutFragment.prefix { $0 != "?" }))
    }
}

extension String {
    fileprivate var withoutFragment: String { String(prefix { $0 != "#" }) }
}
