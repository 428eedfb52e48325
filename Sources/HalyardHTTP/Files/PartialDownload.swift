package import HalyardFoundation

/// Identifies the download that a partial file belongs to. It is stored beside the file, and contains no secrets.
package struct PartialDownload: Sendable, Hashable {
    /// The hash of the request.
    package var requestHash: String
    /// The hash of the URL that the body came from, at the end of all redirects. The next request may be redirected
    /// elsewhere.
    package var source: String
    package var validator: StrongValidator
    /// The length of the whole body; `nil` when the server did not say.
    package var total: Int64?

    package init(requestHash: String, source: String, validator: StrongValidator, total: Int64? = nil) {
        self.requestHash = requestHash
        self.source = source
        self.validator = validator
        self.total = total
    }

    /// Returns what to request when `length` bytes are there; `nil` when there is nothing to continue.
    ///
    /// For a body that is complete the last byte is requested again, because that is the only way to learn whether the
    /// server still has this version.
    package func rest(after length: Int64) -> Rest? {
        guard length <= total ?? .max else { return nil }
        let first = min(length, (total ?? .max) - 1)
        return first > 0 ? Rest(known: self, first: first) : nil
    }

    /// A request for the rest of a known body, from byte `first` on.
    package struct Rest: Sendable, Hashable {
        package let known: PartialDownload
        package let first: Int64
    }

    /// What to do with a response's body.
    package enum Step: Sendable, Hashable {
        /// Append it at `from`, up to but not including `to`, where the whole has `of` bytes.
        case append(from: Int64, to: Int64, of: Int64)
        /// Start over with it; it can be resumed.
        case startOver(PartialDownload)
        /// Write it to another file, because it cannot be resumed. The bytes stay until it is accepted.
        case separateFile
    }
}

extension PartialDownload {
    /// Decides what to do with the body of a 2xx.
    ///
    /// - Parameters:
    ///   - status: the response's status.
    ///   - headers: the response's header fields.
    ///   - rest: what was requested; `nil` for the whole body.
    ///   - requestHash: the hash of the request.
    ///   - source: the hash of the URL that the body comes from.
    /// - Throws: a fault of kind `invalidResponse` for a body that does not fit.
    package static func step(
        after status: Int, _ headers: HTTPHeaders, to rest: Rest?, requestHash: String, source: String
    ) throws(Fault) -> Step {
        guard status != 206 else { return try continuation(headers, to: rest) }
        guard status == 200 else { return .separateFile }
        if headers.isCoded { throw coded }
        guard let validator = StrongValidator(of: headers) else { return .separateFile }
        return .startOver(.init(requestHash: requestHash, source: source, validator: validator, total: headers.length))
    }

    /// Checks that a 206 (RFC 9110 section 15.3.7) is exactly what was requested.
    private static func continuation(_ headers: HTTPHeaders, to rest: Rest?) throws(Fault) -> Step {
        guard let rest else { throw mismatch("the response has a part of the body, but the whole body was requested") }
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
        if let length = headers.length, length != range.last - range.first + 1 {
            throw mismatch("the Content-Range and the Content-Length contradict each other")
        }
        return .append(from: range.first, to: range.last + 1, of: total)
    }

    package static func mismatch(_ reason: String) -> Fault {
        Fault(
            .invalidResponse, reason: "the download cannot be resumed: \(reason)",
            suggestion: "Send the request again: the incomplete download is removed, and a new one starts")
    }

    private static var coded: Fault {
        Fault(
            .invalidResponse, reason: "its body is compressed, although an uncompressed body was requested",
            suggestion: "Download it without resuming")
    }
}

// The record beside the part.
extension PartialDownload {
    private struct Record: Codable {
        var format = name
        var version = 1
        var requestHash, source, validator: String
        var total: Int64?

        static let name = "halyard-download"
    }

    /// Reads a record; `nil` for any other data.
    package init?(record: Data) {
        guard let record = try? JSONDecoder().decode(Record.self, from: record),
            record.format == Record.name, record.version == 1,
            let validator = StrongValidator(stored: record.validator), record.total ?? 0 >= 0
        else { return nil }
        self.init(requestHash: record.requestHash, source: record.source, validator: validator, total: record.total)
    }

    /// The record to be written.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let record = Record(requestHash: requestHash, source: source, validator: validator.text, total: total)
        return (try? encoder.encode(record)) ?? Data()
    }
}

extension HTTPHeaders {
    /// Whether the body is compressed, so that offsets in it are not offsets in the file.
    fileprivate var isCoded: Bool { !contentCodings.isEmpty }

    /// The length of the body; `nil` when it is not stated.
    fileprivate var length: Int64? {
        contains("Transfer-Encoding") ? nil : self[.contentLength].flatMap { ContentRange.number($0) }
    }
}
