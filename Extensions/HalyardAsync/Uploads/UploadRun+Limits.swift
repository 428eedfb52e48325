import HalyardHTTP

// How many bytes a request of an upload has.
extension UploadRun {
    /// Whether the file is to be created and completed at once, because it is too small for the server to resume.
    private var isOneRequest: Bool {
        guard dialect == .draft, record == nil, let limits else { return false }
        return source.length < limits.leastSize && source.length <= limits.part.upperBound
    }

    /// Whether the request that creates the upload has bytes. With tus, an empty file has none to send.
    var createsWithBytes: Bool {
        isOneRequest || options.createsWithBytes && (dialect == .draft || source.length > 0)
    }

    /// The bytes of the next part, unless the file has fewer.
    var partSize: Int64 {
        if isOneRequest { return source.length }
        // A server that does not know the draft takes what the first request has for the whole file.
        let isWhole = dialect == .draft && options.createsWithBytes && record == nil
        let ownLimit: Int64 = options.sendsChecksums && !isWhole ? 16 << 20 : .max
        let size = min(max(1, options.partSize ?? ownLimit), partLimit)
        return limits.map { min(max(size, $0.part.lowerBound), $0.part.upperBound) } ?? size
    }

    /// The bytes of the smallest part after refusals of larger ones.
    var leastPart: Int64 { max(1 << 16, limits?.part.lowerBound ?? 1) }

    /// Notes the limits that a response states. Throws ``HTTPError`` of kind `encoding` for a file that is too large.
    mutating func limit(_ response: HTTPResponse) throws {
        limits = UploadLimits(response) ?? limits
        guard let limits, source.length > limits.size else { return }
        throw HTTPError(
            .encoding("the file"),
            reason: "it has \(source.length) bytes, and the server accepts at most \(limits.size)",
            response: response)
    }

    /// Whether a smaller part than a refused one may be accepted. `response` is the refusal, with the status 413.
    mutating func canShrink(_ chunk: UploadChunk, after response: HTTPResponse) -> Bool {
        let stated = UploadLimits(response)
        limits = stated ?? limits
        // Nothing shows that such a server knows the draft: it might take a part for the whole file.
        let mayBeOrdinary = dialect == .draft && record == nil && stated == nil
        let isFileTooLarge = limits.map { source.length > $0.size } ?? false
        return !dialect.isFinal(response) && chunk.bytes.count > leastPart && !mayBeOrdinary && !isFileTooLarge
            && !isOneRequest
    }
}
