import HalyardHTTP

// What follows a setback of an upload.
extension UploadRun {
    /// Counts a copy of the file that may have arrived, if the answer was lost and the server does not know of it. Throws
    /// for the second one: each further attempt might store the file once more.
    mutating func countCopy(_ setback: UploadSetback) throws {
        guard mayHaveArrived else { return }
        (lostCopies, mayHaveArrived) = (lostCopies + 1, false)
        guard lostCopies > 1 else { return }
        store.remove()
        throw unanswered(setback)
    }

    /// The error of a setback after which the file may have arrived.
    func unanswered(_ setback: UploadSetback) -> any Error {
        guard let error = setback.error as? HTTPError else { return setback.error }
        return error.with {
            $0.suggestion = "The whole file was sent: ask the API whether it has arrived before you upload it again"
        }
    }

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
        guard let response = setback.response, response.status == 413, canShrink(chunk, after: response) else {
            return setback
        }
        let former = partLimit
        partLimit = min(partLimit, max(Int64(chunk.bytes.count) / 2, leastPart))
        (setback.mayPass, setback.isSmaller) = (
            true, partLimit < former && setback.requestedDelay(provider.client.time) == nil
        )
        return setback
    }
}
