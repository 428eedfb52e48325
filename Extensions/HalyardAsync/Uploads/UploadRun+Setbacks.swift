import HalyardHTTP

// What follows a setback of an upload.
extension UploadRun {
    /// What follows if the server has all bytes and does not send the answer of the target again, which the draft allows:
    /// the answer to HEAD, if that says that the upload is complete. `nil` for another attempt.
    mutating func end(after setback: UploadSetback, _ response: HTTPResponse) throws -> HTTPResponse? {
        if let completion, response.status == 409 || !setback.mayPass { return completion }
        guard response.status == 409, UploadDialect.offset(response) == source.length else { return nil }
        // The first time, the interrupted request may still be open there.
        guard hasRefusedEnd else {
            hasRefusedEnd = true
            return nil
        }
        let reason = "the server has the whole file, and does not send its answer again"
        throw HTTPError(
            .invalidResponse, reason: reason,
            suggestion: "Ask the API whether the file has arrived before you call discardUpload and upload it again",
            response: response)
    }

    /// What follows the refusal of a chunk.
    mutating func refusal(_ setback: UploadSetback, _ chunk: UploadChunk) -> UploadSetback {
        var setback = setback
        // The target itself has refused the upload, and would do so again.
        if dialect.isFinal(setback.response) {
            store.remove()
            (setback.isForgotten, setback.mayPass) = (false, false)
        }
        guard let response = setback.response, response.status == 413 else { return setback }
        let stated = UploadLimits(response)
        limits = stated ?? limits
        // Nothing shows that such a server knows the draft: it might take a part for the whole file.
        let mayBeOrdinary = dialect == .draft && record == nil && stated == nil
        let isFileTooLarge = limits.map { source.length > $0.size } ?? false
        let (count, former) = (Int64(chunk.bytes.count), partLimit)
        guard !dialect.isFinal(response), count > 1 << 16, !mayBeOrdinary, !isFileTooLarge else { return setback }
        partLimit = min(partLimit, max(count / 2, 1 << 16))
        (setback.mayPass, setback.isSmaller) = (
            true, partLimit < former && setback.requestedDelay(provider.client.time) == nil
        )
        return setback
    }
}
