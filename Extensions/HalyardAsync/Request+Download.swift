import Dispatch
import HalyardHTTP
public import HalyardFoundation
public import HalyardCodable

extension Request {
    /// Downloads the response's body to a file.
    ///
    /// The body is written to a temporary file in the same folder, which is created if necessary. After the body is
    /// complete and the provider's `validate` has succeeded, the file is renamed. An existing file is replaced only
    /// then.
    ///
    /// With `resuming`, an incomplete body is kept in the same folder. The next download of the same URL to the same
    /// file requests the rest with `Range` and `If-Range` if the server has sent a strong validator. The response is
    /// then a 206.
    ///
    /// ```swift
    /// let file = try await api.request(.dump).download(to: place, resuming: true)
    /// ```
    ///
    /// - Parameter resuming: Whether to continue an earlier incomplete download. Defaults to `false`.
    /// - Throws: ``HTTPError``: of kind `unwritableFile`, also if another request still resumes the same file after a
    ///   second; with `resuming`, of kind `invalidResponse` for a body that does not fit. Or `CancellationError`, or an
    ///   error of the provider's hooks.
    public consuming func download(to url: URL, resuming: Bool = false) async throws -> URL {
        let outcome = await outcome(to: .file(url, resuming: resuming))
        return try await outcome.decode(.file(url))
    }

    /// Downloads the response's body to a folder, under a safe form of the name that the server suggests. See
    /// `HTTPResponse.suggestedFilename`.
    ///
    /// An existing file is not replaced: the new file is then named `name 2.txt`, and so on. Without a suggested name
    /// it is named `download`.
    ///
    /// - Throws: ``HTTPError`` of kind `unwritableFile` and other kinds, `CancellationError`, or an error of the
    ///   provider's hooks. If only renaming has failed, the file is complete, and the error's suggestion contains its
    ///   path.
    public consuming func download(into folder: URL) async throws -> URL {
        let place = folder.appending(path: ".halyard-\(UUID.random().uuidString)")
        let outcome = await outcome(to: .file(place))
        _ = try await outcome.decode(.file(place))
        let name = try outcome.get().suggestedFilename ?? "download"
        // The file may have to be copied, which must not block a thread of the cooperative pool.
        let moved = OneShot<Result<URL, HTTPError>>()
        DispatchQueue.global().async {
            moved.fulfill(Result { () throws(HTTPError) in try place.moved(into: folder, as: name) })
        }
        // The response keeps the file locked, so that another download does not remove it as an abandoned file.
        let result = await moved.take()
        defer { withExtendedLifetime(outcome) {} }
        switch result {
        case .success(let file): return file
        case .failure(let error): throw outcome.annotated(error)
        }
    }
}
