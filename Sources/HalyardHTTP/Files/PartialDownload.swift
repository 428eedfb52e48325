/// What is known of a body that stands half on the disk. Pure; kept beside it, and so without anything secret.
package struct PartialDownload: Sendable, Hashable {
    /// What was asked for, hashed.
    package var asked: String
    /// Which place it came from in the end, hashed: redirects may lead elsewhere next time.
    package var source: String
    package var validator: StrongValidator
    /// How long the whole is, where the server said so.
    package var total: Int64?

    package init(asked: String, source: String, validator: StrongValidator, total: Int64? = nil) {
        self.asked = asked
        self.source = source
        self.validator = validator
        self.total = total
    }

    /// The rest to ask for when so many bytes are there; nil when there is nothing to go on with.
    ///
    /// Of a body that is whole the last byte is asked for again: only so the server says whether it is still the same.
    package func rest(after length: Int64) -> Rest? {
        guard length <= total ?? .max else { return nil }
        let first = min(length, (total ?? .max) - 1)
        return first > 0 ? Rest(known: self, first: first) : nil
    }

    /// What is asked for: a known body, from one byte on.
    package struct Rest: Sendable, Hashable {
        package let known: PartialDownload
        package let first: Int64
    }

    /// What a response's body is to the bytes that are there.
    package enum Step: Sendable, Hashable {
        /// It goes on behind the first of them, up to before another, while the whole is so long.
        case append(from: Int64, to: Int64, of: Int64)
        /// It is another one, and can be resumed.
        case anew(PartialDownload)
        /// It is another one, and cannot be resumed: until it is accepted, the bytes stay as they are.
        case aside
    }
}

extension PartialDownload {
    /// What to do with the body of a 2xx.
    ///
    /// - Parameters:
    ///   - rest: what was asked for; nil when that was all of it.
    ///   - asked, source: the hashes that a body has which begins here.
    /// - Throws: ``Fault`` of kind `invalidResponse` for a body that nothing can be made of.
    package static func step(
        after status: Int, _ headers: HTTPHeaders, to rest: Rest?, asked: String, source: String
    ) throws(Fault) -> Step {
        guard status != 206 else { return try continuation(headers, to: rest) }
        guard status == 200 else { return .aside }
        if headers.isCoded { throw coded }
        guard let validator = StrongValidator(of: headers) else { return .aside }
        return .anew(.init(asked: asked, source: source, validator: validator, total: headers.length))
    }

    /// A 206 (RFC 9110 section 15.3.7) is what was asked for, to the byte, or it is an error.
    private static func continuation(_ headers: HTTPHeaders, to rest: Rest?) throws(Fault) -> Step {
        guard let rest else { throw misfit("it is a part of a body, and all of it was asked for") }
        if headers.isCoded { throw coded }
        let type = headers[.contentType]?.lowercased() ?? ""
        guard !type.hasPrefix("multipart/byteranges") else { throw misfit("it has several parts of the body") }
        guard let text = headers["Content-Range"], let range = ContentRange(text) else {
            throw misfit("it does not say which part of the body it has")
        }
        guard range.first == rest.first else {
            throw misfit("it begins at byte \(range.first), and \(rest.first) was asked for")
        }
        guard rest.known.validator.agrees(with: headers) else { throw misfit("it is of another version of the body") }
        // Without a length, where the body ends would be a guess.
        guard let total = range.total ?? rest.known.total else {
            throw misfit("it does not say how long the whole body is")
        }
        guard rest.known.total ?? total == total, range.last < total else {
            throw misfit("the whole body has another length now")
        }
        if let length = headers.length, length != range.last - range.first + 1 {
            throw misfit("its Content-Range and its Content-Length differ")
        }
        return .append(from: range.first, to: range.last + 1, of: total)
    }

    package static func misfit(_ reason: String) -> Fault {
        Fault(
            .invalidResponse, reason: "the download cannot be resumed: \(reason)",
            suggestion: "Ask again: what was there is removed, and it begins anew")
    }

    private static var coded: Fault {
        Fault(
            .invalidResponse, reason: "its body is compressed, though it was asked for as it is",
            suggestion: "Download it without resuming")
    }
}

extension HTTPHeaders {
    /// Whether the body is not the thing itself: positions in it say nothing then.
    fileprivate var isCoded: Bool { !contentCodings.isEmpty }

    /// How long the body is, where that is said.
    fileprivate var length: Int64? {
        contains("Transfer-Encoding") ? nil : self[.contentLength].flatMap { ContentRange.number($0) }
    }
}
