extension PartialDownload {
    /// Why a body is not gone on with, or cannot be, for the log.
    package enum Note: Sendable, Hashable, CustomStringConvertible {
        /// It starts over, though the beginning was there.
        case startsOver(Cause)
        /// It comes from its start as it should, but will start over if it breaks off.
        case cannotBeResumed(Cause)

        package var description: String {
            switch self {
            case .startsOver(let cause): "starts over: \(cause.rawValue)"
            case .cannotBeResumed(let cause): "cannot be resumed: \(cause.rawValue)"
            }
        }

        /// Whether nothing of the body is kept when it breaks off.
        package var isFlaw: Bool {
            switch self {
            case .startsOver(.changed), .startsOver(.noRanges), .startsOver(.tooShort), .startsOver(.anotherSource):
                false
            default: true
            }
        }
    }

    /// What a server did, or did not do, for a body to be gone on with.
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

    /// What to say of the response to a download that is resumed; nil where it goes on, or can.
    ///
    /// - Parameters:
    ///   - rest: what was asked for; nil when that was all of it.
    ///   - loss: why what was there could not be asked to be gone on with.
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
    /// Why there is none in the headers of a response; nil where there is one.
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
