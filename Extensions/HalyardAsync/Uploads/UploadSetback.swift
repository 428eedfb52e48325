import HalyardCodable
import HalyardFoundation
import HalyardHTTP

/// A request of an upload that has failed, or whose answer brings the upload no further.
struct UploadSetback: Error {
    let error: any Error
    let response: HTTPResponse?
    /// Whether the server does not have the upload any more.
    var isForgotten = false
    /// Whether another attempt may do better.
    var mayPass = false
    /// Whether the last byte of the file was sent.
    var hasSentAll = false
    /// Whether the next attempt sends fewer bytes than any before it. It needs no delay, and does not count.
    var isSmaller = false

    init(_ error: any Error, _ response: HTTPResponse, isForgotten: Bool = false, mayPass: Bool = false) {
        (self.error, self.response, self.isForgotten, self.mayPass) = (error, response, isForgotten, mayPass)
    }

    /// Judges the failure of a request.
    init(_ error: any Error, _ response: HTTPResponse?, _ method: HTTPMethod, _ dialect: UploadDialect) {
        (self.error, self.response) = (error, response)
        if let status = response?.status {
            // After a 413, only fewer bytes may do better. A 409 is of the protocol only if it is about an upload: it may
            // have another offset, or another request.
            mayPass =
                [408, 423, 429, 460].contains(status) || status == 409 && method != .post
                || status >= 500 && ![501, 505].contains(status)
            isForgotten = method != .post && dialect.isForgotten(response, method)
        } else {
            mayPass = (error as? HTTPError).map { $0.isTemporary || $0.retryDelay != nil } ?? false
        }
    }

    /// Whether the server may have acted on the request.
    var mayHaveBeenProcessed: Bool {
        if let status = response?.status { return ![413, 429].contains(status) }
        return (error as? HTTPError)?.mayHaveBeenProcessed ?? true
    }

    /// Whether the server may have acted on the request, and has not answered itself: a proxy that has lost its server
    /// or does not wait for it answers 502 or 504, or 520, 522 or 524.
    var isUnanswered: Bool {
        mayHaveBeenProcessed && (response.map { [502, 504, 520, 522, 524].contains($0.status) } ?? true)
    }

    /// Returns how long the server asks to wait, also if the error is of the provider's own type.
    func requestedDelay(_ time: PipelineTime) -> Duration? {
        (error as? HTTPError)?.retryDelay ?? response.flatMap { RetryAfter.delay($0.headers, now: time.date()) }
    }
}
