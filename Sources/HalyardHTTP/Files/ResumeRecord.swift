package import HalyardFoundation

/// Identifies the download that a partial file belongs to. It is stored beside the file, and contains no secrets.
package struct ResumeRecord: Sendable, Hashable {
    package var requestHash: String
    /// The hash of the URL that the body came from, at the end of all redirects. The next request may be redirected
    /// elsewhere.
    package var source: String
    package var validator: StrongValidator
    /// The length of the whole body; `nil` when the server did not say.
    package var total: Int64?

    /// Returns what to request when `length` bytes are there; `nil` when there is nothing to continue.
    ///
    /// For a body that is complete the last byte is requested again, because that is the only way to learn whether the
    /// server still has this version.
    package func rest(after length: Int64) -> Rest? {
        guard length <= total ?? .max else { return nil }
        let first = min(length, (total ?? .max) - 1)
        return first > 0 ? Rest(known: self, first: first) : nil
    }

    /// Returns a request for the bytes from an offset on.
    package func part(from first: Int64) -> Rest { Rest(known: self, first: first) }

    /// A request for the rest of a known body, from byte `first` on.
    package struct Rest: Sendable, Hashable {
        package let known: ResumeRecord
        package let first: Int64
    }
}

// The file beside the partial file.
extension ResumeRecord {
    private struct Stored: Codable {
        var format = name
        var version = 1
        var requestHash, source, validator: String
        var total: Int64?

        static let name = "halyard-download"
    }

    /// Reads a record; `nil` for any other data.
    package init?(record: Data) {
        guard let record = try? JSONDecoder().decode(Stored.self, from: record),
            record.format == Stored.name, record.version == 1,
            let validator = StrongValidator(stored: record.validator), record.total ?? 0 >= 0
        else { return nil }
        self.init(requestHash: record.requestHash, source: record.source, validator: validator, total: record.total)
    }

    /// The record to be written.
    package var record: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let record = Stored(requestHash: requestHash, source: source, validator: validator.text, total: total)
        // Texts and numbers can always be encoded.
        return (try? encoder.encode(record)) ?? Data()
    }
}

extension ResumeRecord {
    /// A note for the log: why a body does not continue an earlier one, or cannot be resumed.
    package enum Note: Sendable, Hashable, CustomStringConvertible {
        /// The body starts over although its beginning was there.
        case startsOver(Cause)
        /// The body starts at its beginning, and will start over if it is interrupted.
        case cannotBeResumed(Cause)

        package var description: String {
            switch self {
            case .startsOver(let cause): "starts over: \(cause.rawValue)"
            case .cannotBeResumed(let cause): "cannot be resumed: \(cause.rawValue)"
            }
        }

        /// Whether nothing is kept when the body is interrupted.
        package var losesPartialBody: Bool {
            switch self {
            case .startsOver(.changed), .startsOver(.noRanges), .startsOver(.tooShort), .startsOver(.anotherSource),
                .startsOver(.severalConnections):
                false
            default: true
            }
        }
    }

    /// Why a download cannot be resumed.
    package enum Cause: String, Sendable, Hashable {
        case noValidator = "the server sends no ETag, and no Last-Modified that is older than the response"
        case weakTag = "its ETag is weak, so its bytes may differ"
        case unquotedTag = "its ETag is not valid, for example because it has no quotes"
        case severalTags = "it has more than one ETag"
        case changed = "the body has changed on the server"
        case noRanges = "the server does not support ranges"
        case anotherSource = "the partial file belongs to another request or URL"
        case severalConnections = "the partial file is that of a download over several connections"
        case tooShort = "the server's body is shorter than the partial file"
        case anotherStatus = "only a response with status 200 or 206 can be resumed"
    }

    /// Returns the note about a response to a resumable download; `nil` when it continues or can be resumed.
    ///
    /// - Parameters:
    ///   - rest: The requested range; `nil` for the whole body.
    ///   - noResumeReason: Why the rest was not requested.
    package static func note(
        after status: Int, _ headers: HTTPHeaders, to rest: Rest?, noResumeReason: Cause? = nil
    ) -> Note? {
        guard status != 206 else { return nil }
        let cause = status == 200 ? StrongValidator.causeOfAbsence(in: headers) : .anotherStatus
        guard let rest else {
            return noResumeReason.map { .startsOver(cause ?? $0) } ?? cause.map(Note.cannotBeResumed)
        }
        return .startsOver(cause ?? (rest.known.validator == StrongValidator(of: headers) ? .noRanges : .changed))
    }
}

extension StrongValidator {
    /// Why the headers have no strong validator; `nil` when they have one.
    fileprivate static func causeOfAbsence(in headers: HTTPHeaders) -> ResumeRecord.Cause? {
        if StrongValidator(of: headers) != nil { return nil }
        let tags = headers.values(for: "ETag")
        return switch tags.count {
        case 0: .noValidator
        case 1: tags[0].hasPrefix("W/") ? .weakTag : .unquotedTag
        default: .severalTags
        }
    }
}

/// A strong validator: identifies one version of a body byte for byte. It can be used in `If-Range` (RFC 9110 sections
/// 8.8.1 and 13.1.5).
package struct StrongValidator: Sendable, Hashable {
    /// The text as the server sent it. It is sent back and compared unchanged.
    package let text: String

    /// Takes the strong entity tag, or the date of a body that has no tag and was last changed at least a second before
    /// it was sent.
    package init?(of headers: HTTPHeaders) {
        let tags = headers.values(for: "ETag")
        // A date must not replace a weak tag.
        if !tags.isEmpty {
            guard tags.count == 1, Self.isTag(tags[0]) else { return nil }
            text = tags[0]
        } else {
            let (dates, sent) = (headers.values(for: "Last-Modified"), headers.values(for: "Date"))
            guard dates.count == 1, sent.count == 1, let modified = HTTPDate.seconds(dates[0]),
                let answered = HTTPDate.seconds(sent[0]), answered - modified >= 1  // section 8.8.2.2
            else { return nil }
            text = dates[0]
        }
    }

    /// Reads a text that was stored; `nil` when it is not a validator.
    package init?(stored text: String) {
        guard Self.isTag(text) || HTTPDate.seconds(text) != nil && text.utf8.allSatisfy(Self.isPlain) else {
            return nil
        }
        self.text = text
    }

    /// Whether the body of a 206 may belong to this version: its own validator is this one, or it has none.
    package func agrees(with headers: HTTPHeaders) -> Bool {
        let own = headers.values(for: Self.isTag(text) ? "ETag" : "Last-Modified")
        return own.isEmpty || own == [text]
    }

    /// Whether the text is a strong tag in ASCII. Other characters might not be sent back unchanged.
    private static func isTag(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count >= 2 && bytes.first == UInt8(ascii: "\"") && bytes.last == UInt8(ascii: "\"")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}
