/// What to do with a response's body.
package enum ResumeDecision: Sendable, Hashable {
    /// Append it. The part begins at the offset `from` and ends before `to`. The whole body has `of` bytes.
    case append(from: Int64, to: Int64, of: Int64)
    /// Start over with it; it can be resumed.
    case startOver(ResumeRecord)
    /// Write it to another file, because it cannot be resumed. The bytes stay until it is accepted.
    case separateFile
}

extension ResumeDecision {
    /// Decides what to do with the body of a 2xx. `rest` is the requested range; `nil` for the whole body. Throws
    /// ``HTTPError`` of kind `invalidResponse` for a body that does not fit.
    package init(
        after status: Int, _ headers: HTTPHeaders, to rest: ResumeRecord.Rest?, requestHash: String, source: String
    ) throws(HTTPError) {
        if status == 206 {
            self = try Self.continuation(headers, to: rest)
            return
        }
        self = .separateFile
        guard status == 200 else { return }
        if headers.isCoded { throw Self.coded }
        guard let validator = StrongValidator(of: headers) else { return }
        self = .startOver(.init(requestHash: requestHash, source: source, validator: validator, total: headers.length))
    }

    /// Checks that a 206 (RFC 9110 section 15.3.7) has exactly the requested range.
    private static func continuation(
        _ headers: HTTPHeaders, to rest: ResumeRecord.Rest?
    ) throws(HTTPError) -> ResumeDecision {
        guard let rest else { throw unrequestedPart }
        if headers.isCoded { throw coded }
        guard headers.mediaType != "multipart/byteranges" else {
            throw mismatch("the response has several parts of the body")
        }
        guard let text = headers["Content-Range"], let range = ContentRange(text) else {
            throw mismatch("the response has no valid Content-Range")
        }
        guard range.first == rest.first else {
            throw mismatch("the response begins at byte \(range.first), but byte \(rest.first) was requested")
        }
        guard rest.known.validator.agrees(with: headers) else {
            throw mismatch("the body has changed on the server since the first part was downloaded")
        }
        // Without the length, the end of the body would be a guess.
        guard let total = range.total ?? rest.known.total else {
            throw mismatch("the response does not state the length of the whole body")
        }
        guard rest.known.total ?? total == total, range.last < total else {
            throw mismatch("the length of the whole body has changed")
        }
        guard headers.allow(length: range.last - range.first + 1) else {
            throw mismatch("the Content-Range and the Content-Length contradict each other")
        }
        return .append(from: range.first, to: range.last + 1, of: total)
    }

    package static func mismatch(_ reason: String) -> HTTPError {
        HTTPError(
            .invalidResponse, reason: "the download cannot be resumed: \(reason)",
            suggestion: "Send the request again: the incomplete download is removed, and a new one starts")
    }

    /// The error for a part of the body in place of all of it.
    package static var unrequestedPart: HTTPError {
        HTTPError(
            .invalidResponse, reason: "the response has a part of the body, but the whole body was requested",
            suggestion: "If you want a part, set Range on the route")
    }

    private static var coded: HTTPError {
        HTTPError(
            .invalidResponse, reason: "its body is compressed, although an uncompressed body was requested",
            suggestion: "Download it without resuming")
    }
}

extension HTTPHeaders {
    /// Whether the body is compressed, so that offsets in it are not offsets in the file.
    fileprivate var isCoded: Bool { !contentCodings.isEmpty }

    /// Whether the body may have a length: no other one is stated, and nothing that is none.
    fileprivate func allow(length: Int64) -> Bool {
        contains("Transfer-Encoding") || (try? statedLength() ?? length) == length
    }

    /// The length of the body; `nil` when it is not stated, or is no possible one.
    fileprivate var length: Int64? { contains("Transfer-Encoding") ? nil : (try? statedLength()) ?? nil }
}

/// The value of `Content-Range` for bytes: `bytes 100-199/200` (RFC 9110 section 14.4).
package struct ContentRange: Sendable, Hashable {
    package let first: Int64
    package let last: Int64
    /// The length of the whole body; `nil` for `*`: the server did not state it.
    package let total: Int64?

    /// Reads a value. Returns `nil` for another unit and for a range that is not possible.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(digits: ends[0]), let last = Int64(digits: ends[1]), first <= last
        else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let whole = Int64(digits: parts[1]), last < whole else { return nil }
            total = whole
        }
        (self.first, self.last) = (first, last)
    }
}
