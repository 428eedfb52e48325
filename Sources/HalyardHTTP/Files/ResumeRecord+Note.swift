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
            case .startsOver(.changed), .startsOver(.noRanges), .startsOver(.tooShort), .startsOver(.anotherSource):
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
            return noResumeReason.map(Note.startsOver) ?? cause.map(Note.cannotBeResumed)
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
