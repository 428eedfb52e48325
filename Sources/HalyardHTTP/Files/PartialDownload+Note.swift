extension PartialDownload {
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
        package var isFlaw: Bool {
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
        case weakTag = "its ETag is weak, which allows other bytes"
        case unquotedTag = "its ETag is not valid, as without quotes"
        case severalTags = "it has more than one ETag"
        case changed = "the server has another version now"
        case noRanges = "the server does not support ranges"
        case anotherSource = "what is there is of another request, or another place"
        case tooShort = "the server has fewer bytes than were there"
        case anotherStatus = "only a 200 or a 206 can be gone on with"
    }

    /// Returns the note about a response to a resumable download; `nil` when it continues or can be resumed.
    ///
    /// - Parameters:
    ///   - status: the response's status.
    ///   - headers: the response's header fields.
    ///   - rest: what was requested; `nil` for the whole body.
    ///   - loss: why the rest was not requested.
    package static func note(
        after status: Int, _ headers: HTTPHeaders, to rest: Rest?, loss: Cause? = nil
    ) -> Note? {
        guard status != 206 else { return nil }
        let flaw = status == 200 ? StrongValidator.flaw(of: headers) : .anotherStatus
        guard let rest else {
            return loss.map(Note.startsOver) ?? flaw.map(Note.cannotBeResumed)
        }
        return .startsOver(flaw ?? (rest.known.validator == StrongValidator(of: headers) ? .noRanges : .changed))
    }
}

extension StrongValidator {
    /// Why the headers have no strong validator; `nil` when they have one.
    fileprivate static func flaw(of headers: HTTPHeaders) -> PartialDownload.Cause? {
        if StrongValidator(of: headers) != nil { return nil }
        let tags = headers.values(for: "ETag")
        return switch tags.count {
        case 0: .noValidator
        case 1: tags[0].hasPrefix("W/") ? .weakTag : .unquotedTag
        default: .severalTags
        }
    }
}
